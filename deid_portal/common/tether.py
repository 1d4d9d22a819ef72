"""Tie a process to the life of its parent, so that a killed portal leaves nothing running.

As a program, `python tether.py PARENT COMMAND …` ties itself to the process PARENT and then becomes
COMMAND. It is a program because running code between fork and exec is unsafe beside threads.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def tie_to_parent(**_: object) -> None:
    """Have Linux kill this process when its parent ends; other systems have no such request.

    Takes and ignores what a Celery signal hands over: it also ties pool processes to their worker.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def main(parent: str, *command: str) -> None:
    tie_to_parent()
    # The parent may have ended before the request was made; then nobody would end this process.
    if os.getppid() != int(parent):
        sys.exit(1)
    os.execvp(command[0], command)  # noqa: S606 -- our own commands, and no shell is wanted


if __name__ == "__main__":
    main(*sys.argv[1:])
