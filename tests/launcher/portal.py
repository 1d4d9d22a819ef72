"""Start the real portal as people do, and look at it from outside."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from tests.once import migrated_once, only_one_at
from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parent.parent.parent
PREPARE = (
    "import django; django.setup(); from deid_portal.serving import preparation as p; p.prepare()"
)
LONGEST_LOOK_SECONDS = 0.25
REAL_KEYS = {
    "SECRET_KEY": "a long random value that is not the demo's",
    "DATA_KEY": "b25seSBmb3IgdGVzdHMsIDMyIGJ5dGVzLCByZWFsbHk=",
}


def wait_until(is_true: Callable[[], Any], what: str, look_seconds: float = 0.05) -> None:
    """Wait patiently; what takes longer is looked at more rarely, up to a few times a second."""
    deadline = time.monotonic() + PATIENCE
    while not is_true():
        assert time.monotonic() < deadline, f"Waited {PATIENCE} s in vain: {what}"
        time.sleep(look_seconds)
        look_seconds = min(1.1 * look_seconds, LONGEST_LOOK_SECONDS)


def environment(data_dir: Path, **settings: str) -> dict[str, str]:
    """Return what a new terminal would have, without what the tests or the developer have set."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {**kept, "DATA_DIR": str(data_dir), "PORT": "0", **settings}


@cache
def prepared_demo() -> Path:
    """Return a folder with the demo as a first start leaves it, made once for all who copy it.

    Making it takes several seconds; `test_running_portal.py` starts from nothing and sees to it
    that this works as well.
    """
    with only_one_at("demo") as shared:
        made = shared / "made"
        if not made.exists():
            _prepare(shared / "data")
            made.touch()
    return shared / "data"


def _prepare(data_dir: Path) -> None:
    shutil.rmtree(data_dir, ignore_errors=True)
    data_dir.mkdir(mode=0o700)
    migrate(data_dir)
    subprocess.run(
        [sys.executable, "-c", PREPARE],
        cwd=ROOT,
        env=environment(data_dir, DEMO="1", DJANGO_SETTINGS_MODULE="deid_portal.settings"),
        timeout=PATIENCE,
        check=True,
    )


def migrate(data_dir: Path) -> None:
    """Give a portal its empty database, so that it need not make it; it looks it over all the same.

    `test_running_portal.py` starts without.
    """
    data_dir.mkdir(parents=True, exist_ok=True)
    with migrated_once(data_dir / "portal.sqlite3") as is_there:
        if not is_there:
            made = manage("migrate", "-v0", data_dir=data_dir, **REAL_KEYS)
            assert made.returncode == 0, made.stderr


def manage(*arguments: str, data_dir: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a command that ends by itself."""
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment(data_dir, **settings),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def processes_of(data_dir: Path) -> dict[int, str]:
    """Return every living process that works on a data folder: its id and its command line."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
            works_in = (folder / "cwd").readlink()
            is_told = f"DATA_DIR={data_dir}".encode() in (folder / "environ").read_bytes()
        except OSError:
            continue
        # The broker overwrites its environment with its title, but works inside the folder.
        if command and (is_told or works_in.is_relative_to(data_dir)):
            found[int(folder.name)] = command.replace(b"\0", b" ").decode()
    found.pop(os.getpid(), None)
    return found


def is_leader(pid: int) -> bool:
    """Say whether a process leads a group of its own, as all do that the launcher starts."""
    try:
        return os.getpgid(pid) == pid
    except ProcessLookupError:
        return False


class RunningPortal:
    def __init__(self, data_dir: Path, **settings: str) -> None:
        self.data_dir = data_dir
        self.settings = settings
        self.helper: subprocess.Popen[str] | None = None  # builds worlds in it (world.py)
        data_dir.mkdir(parents=True, exist_ok=True)
        self._output = data_dir.parent / f"{data_dir.name}-output.txt"
        with self._output.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "portal"],
                cwd=ROOT,
                env=environment(data_dir, **settings),
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    @property
    def output(self) -> str:
        return self._output.read_text()

    @property
    def address(self) -> str:
        found = re.search(r"The portal is ready: (http://\S+)", self.output)
        return found[1] if found else ""

    def wait_until_ready(self) -> None:
        def is_decided() -> bool:
            return bool(self.address) or self.process.poll() is not None

        wait_until(is_decided, "the portal says that it is ready")
        assert self.address, self.output

    def health(self) -> dict[str, Any]:
        try:
            answer = urllib.request.urlopen(f"{self.address}/healthz", timeout=PATIENCE)
        except urllib.error.HTTPError as error:  # 503 says in its body what is missing
            answer = error
        with answer:
            found: dict[str, Any] = json.load(answer)
        return found

    def pids(self, *words: str) -> set[int]:
        """Return the processes whose command line has all the words."""
        running = processes_of(self.data_dir).items()
        return {pid for pid, command in running if all(word in command for word in words)}

    def leader(self, *words: str) -> int:
        """Return the process that the launcher itself started, not one that it has forked.

        Who was killed a moment ago may not be back yet.
        """
        leaders: list[int] = []

        def is_back() -> bool:
            leaders[:] = filter(is_leader, self.pids(*words))
            return len(leaders) == 1

        wait_until(is_back, f"{' '.join(words)} runs")
        return leaders[0]

    def stop_at_once(self) -> None:
        """Ask twice, as somebody in a hurry does; how it stops when asked once is tested apart."""
        self._end_helper()
        for _ in range(2):
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGTERM)
                time.sleep(0.3)
        self.process.wait(timeout=PATIENCE)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal to the launcher and return its exit code."""
        self._end_helper()
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(timeout=PATIENCE)

    def _end_helper(self) -> None:
        if self.helper is not None:
            self.helper.kill()
            self.helper.communicate()


@contextmanager
def running_portal(data_dir: Path, **settings: str) -> Iterator[RunningPortal]:
    """Start the portal, hand it over when it is ready, and stop it at the end."""
    portal = RunningPortal(data_dir, **settings)
    try:
        portal.wait_until_ready()
        yield portal
    finally:
        portal.stop_at_once()
