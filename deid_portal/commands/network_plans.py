"""Plans about networks: the commands look for them first and load their room only then."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from deid_portal.commands.terminal import NO_SOLUTION, TerminalProgress, refuse
from deid_portal.engine import EngineError
from deid_portal.engine.plan import is_network_plan


def names_network(path: Path) -> bool:
    """Say whether a plan file is about a network; what is wrong with others is said elsewhere."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return is_network_plan(document)


def run_for_networks(
    command: BaseCommand, work: Callable[..., bool], options: dict[str, Any]
) -> None:
    """Do the same for a network; its room is only loaded when it is needed."""
    try:
        is_solved = work(options, TerminalProgress.if_terminal(), command)
    except (EngineError, OSError) as error:
        refuse(command, error)
    if not is_solved:
        sys.exit(NO_SOLUTION)
