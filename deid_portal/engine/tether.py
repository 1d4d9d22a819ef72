"""Tie a process to the life of its parent, so that a killed portal leaves nothing running.

As a program, `python tether.py PARENT COMMAND …` ties itself to the process PARENT and then becomes
COMMAND. It is a program because running code between fork and exec is unsafe beside threads.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def command() -> list[str]:
    """Return what to write before the command of a program that this process starts.

    Linux also ends the program when the thread that has started it ends.
    """
    return [sys.executable, "-I", __file__, str(os.getpid())]


def tie_every_fork(**_: object) -> None:
    """Tie every process that this one forks from now on, before it does anything else.

    A pool process that ties itself when it is ready would outlive, for as long as that takes, a
    worker that is killed meanwhile. Takes and ignores what a Celery signal hands over.
    """
    forking: list[int] = []  # the process that forks, as the new one inherits it

    def note() -> None:
        forking[:] = [os.getpid()]

    def tie() -> None:
        tie_to_parent()
        if os.getppid() not in forking:  # it ended before the request was made
            os._exit(1)

    os.register_at_fork(before=note, after_in_child=tie)


def tie_to_parent() -> None:
    """Have Linux kill this process when its parent ends; other systems have no such request."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def main(parent: str, *program: str) -> None:
    tie_to_parent()
    # The parent may have ended before the request was made; then nobody would end this process.
    if os.getppid() != int(parent):
        sys.exit(1)
    os.execvp(program[0], program)  # noqa: S606 -- our own commands, and no shell is wanted


if __name__ == "__main__":
    main(*sys.argv[1:])
