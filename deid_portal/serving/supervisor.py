"""Keep a few programs running until told to stop, and then leave nothing behind.

Each program leads a process group of its own: Ctrl-C in the terminal reaches only the supervisor,
which stops the programs in order, and whatever a program has forked can be ended with it. Programs
are tied to the supervisor (`tether`), so that even `kill -9` of it takes them along on Linux.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from deid_portal.engine import tether

STOP_SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
LOOK_SECONDS = 0.1
# A program that lived this long was well; its next end is news, not the same trouble again.
WELL_AFTER_SECONDS = 20
LONGEST_PAUSE_SECONDS = 30
LOG_LIMIT_BYTES = 5 * 1024 * 1024


@dataclass(frozen=True)
class Program:
    """What to run: its name in sentences, command, log, and how long it may take to stop."""

    name: str
    command: list[str]
    log: Path
    grace_seconds: float = 5
    keep_open: tuple[int, ...] = ()  # file descriptors it inherits


@dataclass
class Child:
    """A program that was started, and is started again when it ends by itself."""

    program: Program
    quick_ends: int = 0
    start_at: float = 0  # on the monotonic clock; when it may start again after it ended
    process: subprocess.Popen[bytes] = field(init=False)
    started_at: float = field(init=False)

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        keep_small(self.program.log)
        with self.program.log.open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603 -- our own commands
                [*tether.command(), *self.program.command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=self.program.keep_open,
                start_new_session=True,
            )
        self.started_at = time.monotonic()

    @property
    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def plan_next_start(self) -> None:
        """Start again at once, but after ever longer pauses when it keeps ending soon."""
        lived = time.monotonic() - self.started_at
        self.quick_ends = 0 if lived > WELL_AFTER_SECONDS else self.quick_ends + 1
        pause = 2.0 ** (self.quick_ends - 2) if self.quick_ends > 1 else 0
        self.start_at = time.monotonic() + min(pause, LONGEST_PAUSE_SECONDS)

    def ask_to_stop(self) -> None:
        if not self.has_ended:
            self.process.terminate()

    def end_group(self) -> None:
        """Kill what is left of the program and of everything it has forked."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        finally:
            self.process.wait()


class Supervisor:
    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._children: list[Child] = []
        self._in_a_hurry = False

    def start(self, program: Program) -> None:
        self._children.append(Child(program))

    def ended(self) -> Program | None:
        """Return a program that is not running any more, if there is one."""
        return next((child.program for child in self._children if child.has_ended), None)

    def watch(self) -> None:
        """Start again what ends by itself; returns never, a signal must interrupt it."""
        waiting: list[Child] = []
        while True:
            for child in self._children:
                if child not in waiting and child.has_ended:
                    self._report(child)
                    child.end_group()
                    child.plan_next_start()
                    waiting.append(child)
            for child in [child for child in waiting if child.start_at <= time.monotonic()]:
                child.start()
                waiting.remove(child)
            time.sleep(LOOK_SECONDS)

    def _report(self, child: Child) -> None:
        code = child.process.returncode
        reason = f"signal {-code}" if code < 0 else f"exit code {code}"
        name, log = child.program.name, child.program.log
        self._say(f"The {name} stopped unexpectedly ({reason}) and is started again. See {log}.")

    def stop(self, *stages: Iterable[str]) -> None:
        """Stop the programs named in each stage, one stage after the other, then all others.

        A second Ctrl-C while this goes on ends everything at once.
        """
        for number in STOP_SIGNALS:
            signal.signal(number, self._hurry)
        everything = [child.program.name for child in self._children]
        for names in [*stages, everything]:
            self._stop_children([c for c in self._children if c.program.name in names])

    def _hurry(self, *_: object) -> None:
        self._in_a_hurry = True

    def _stop_children(self, children: list[Child]) -> None:
        for child in children:
            child.ask_to_stop()
        asked_at = time.monotonic()
        for child in children:
            deadline = asked_at + child.program.grace_seconds
            while not (child.has_ended or self._in_a_hurry or time.monotonic() > deadline):
                time.sleep(LOOK_SECONDS)
            child.end_group()
            self._children.remove(child)


def raise_on_stop_signals() -> None:
    """Make every way of being asked to stop raise KeyboardInterrupt, as Ctrl-C does."""
    for number in STOP_SIGNALS:
        # A portal started with nohup is meant to outlive its terminal.
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)


def keep_small(log: Path) -> None:
    """Put a log that has grown large aside; one old one is kept."""
    if log.exists() and log.stat().st_size > LOG_LIMIT_BYTES:
        log.replace(log.with_suffix(".old.log"))
