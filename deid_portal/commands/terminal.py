"""What the engine's commands say on a terminal, and how they end."""

import sys
from typing import Any, NoReturn

from django.core.management.base import BaseCommand

UNUSABLE = 2
NO_SOLUTION = 3


class TerminalProgress:
    """One line on standard error that is written over."""

    def __call__(self, done: int, total: int, phase: str, **figures: Any) -> None:
        share = f"{done / total:4.0%}" if total else ""
        sys.stderr.write(f"\r{phase:10} {share} ")
        if phase in ("measure", "answer") and done == total:
            sys.stderr.write("\r" + " " * 20 + "\r")
        sys.stderr.flush()

    @classmethod
    def if_terminal(cls) -> "TerminalProgress | None":
        return cls() if sys.stderr.isatty() else None


def refuse(command: BaseCommand, error: Exception) -> NoReturn:
    """Say what is wrong in one sentence on standard error and leave."""
    command.stderr.write(_sentence(error))
    sys.exit(UNUSABLE)


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"Cannot write: {error.strerror or 'the folder is not usable'}."
    return str(error)
