"""How fast a file becomes a tagged table: `python -m tests.benchmarks.intake [--rows N]`.

A million people of fifteen columns as CSV, from the first byte of the upload to stored columns with
profiles and suggestions: through the pages that take uploads (in pieces, as browsers send a file,
and whole, as a form without scripts does), the vault and a worker's work, with a database. Seconds
on the clock, as a multiple of what `pandas.read_csv` takes to read the same file in memory; each in
a process of its own, the least of some runs in turn. Beside them the seconds of computing, which
say more on a machine that others use, too. The peak of memory is what the process needed beyond
what it had before, as a multiple of the file.
The answer is printed and kept in `tests/benchmarks/results/intake.md`.
"""

import argparse
import io
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numba
import numpy as np
import pandas as pd

from deid_portal.engine import Column, ColumnType, Table
from deid_portal.engine.files.csv.writer import write_csv
from tests.benchmarks.enlarged import enlarge
from tests.engine.tables import adult_table

RESULTS = Path(__file__).parent / "results" / "intake.md"
ROWS = 1_000_000
REPEAT = 5
MOST_TIMES_PANDAS = 6
MOST_TIMES_FILE = 3
MEGABYTE = 1 << 20
BOUNDARY = "fifteen-columns"
WAYS = {"pieces": "sent in pieces, as browsers do", "whole": "sent whole, as a form does"}
PHASES = {
    "upload": "upload, encrypted on the way, and its format detected",
    "read": "decrypt and read into codes and dictionaries",
    "count": "profiles and suggestions, columns encrypted, all of it stored",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        what, path = options.measure
        print(json.dumps(measure(what, Path(path))))  # noqa: T201
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        write_people(options.rows, path)
        size = path.stat().st_size
        runs = [{what: ask(what, path) for what in ("pandas", *WAYS)} for _ in range(REPEAT)]
    text = write_up(options.rows, size, runs)
    print(text)  # noqa: T201
    if options.rows == ROWS:
        RESULTS.write_text(text, encoding="utf-8")


def ask(what: str, path: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.benchmarks.intake", "--measure", what, str(path)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds: dict[str, float] = json.loads(answer.stdout)
    return seconds


def write_people(rows: int, path: Path) -> None:
    """Write Adult, enlarged, with what real tables have besides: keys, contacts, days, sums."""
    generator = np.random.default_rng(6)
    people = enlarge(adult_table(), rows)
    numbers = generator.permutation(rows)
    names = [f"p{number // 50 * 50 + number % 49}@mail.test" for number in numbers.tolist()]
    zips = [f"{code:05}" for code in range(501, 100_000, 11)]
    days = np.arange("1930-01-01", "2010-01-01", dtype="datetime64[D]").astype(str).tolist()
    diseases = [f"{letter}{number:02}" for letter in "ABCDEFGHIJKLM" for number in range(100)]
    sums = np.round(generator.lognormal(7, 1.2, rows), 2)
    columns = (
        Column.from_cells("patient_id", (f"P{number:08}" for number in numbers.tolist())),
        Column.from_cells("email", names),
        _drawn("zip", zips, rows, generator),
        _drawn("birth_date", days, rows, generator),
        *people.columns,
        Column.from_cells("charges", (f"{amount:.2f}" for amount in sums.tolist())),
        _drawn("diagnosis", diseases, rows, generator),
    )
    with path.open("wb") as stream:
        write_csv(Table(columns), stream)


def _drawn(name: str, values: list[str], rows: int, generator: np.random.Generator) -> Column:
    codes = generator.integers(0, len(values), rows, dtype=np.int32)
    return Column(name, ColumnType.TEXT, codes, tuple(values))


def measure(what: str, path: Path) -> dict[str, float]:
    return measure_pandas(path) if what == "pandas" else measure_intake(what, path)


class Watch:
    """Two watches at once: on the wall, and of the computing of all threads of this process."""

    def __init__(self) -> None:
        self._began = self._now()

    def _now(self) -> tuple[float, float]:
        return perf_counter(), process_time()

    def lap(self, name: str) -> dict[str, float]:
        """Return what has passed since the last lap; the next one begins now."""
        (began, computed), self._began = self._began, self._now()
        return {name: self._began[0] - began, f"{name} computing": self._began[1] - computed}


def measure_pandas(path: Path) -> dict[str, float]:
    watch = Watch()
    frame = pd.read_csv(path)
    return {**watch.lap("all"), "columns": len(frame.columns)}


def measure_intake(way: str, path: Path) -> dict[str, float]:
    """Return seconds per phase, and the peak of memory in megabytes before and after."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)

    from deid_portal.accounts.models import Role
    from tests import factories

    team = factories.make_team()
    steward = factories.make_person("steward", team, Role.STEWARD)
    head = b"".join(path.open("rb").readlines(1 << 16))
    take_in(way, io.BytesIO(head), steward)  # what every process loads once
    before = forget_peak()
    with path.open("rb") as stream:
        seconds = take_in(way, stream, steward)
    return {**seconds, "before": before, "peak": peak_megabytes()}


def take_in(way: str, file: Any, steward: Any) -> dict[str, float]:
    """Upload and read a file as the portal does; return the seconds of each phase."""
    from django.test import Client

    from deid_portal.datasets.models import Dataset
    from deid_portal.datasets.services import keep_dataset

    client = Client(SERVER_NAME="localhost")
    client.force_login(steward)
    watch = Watch()
    there = {"pieces": send_in_pieces, "whole": send_whole}[way](client, file)
    seconds = watch.lap("upload")
    dataset = Dataset.objects.get(id=there.split("/")[2])
    # Here a person looks at the preview; there is no queue to hand the work on.
    reading = keep_dataset(dataset=dataset, kept_by=steward)
    return seconds | perform(str(reading.id))


def send_whole(client: Any, file: Any) -> str:
    from django.urls import reverse

    body = Body(file)
    environment: dict[str, Any] = {
        "wsgi.input": body,
        "CONTENT_TYPE": f"multipart/form-data; boundary={BOUNDARY}",
        "CONTENT_LENGTH": str(body.size),
    }
    answer = client.generic("POST", reverse("datasets:new"), **environment)
    return str(answer["Location"])


def send_in_pieces(client: Any, file: Any) -> str:
    """Do what `static/js/sending.js` does."""
    from django.urls import reverse

    from deid_portal.datasets.piecewise_upload import PIECE_BYTES

    size = file.seek(0, io.SEEK_END)
    about = {"file_name": "people.csv", "file_bytes": size, "file_stamp": 0}
    begun = client.post(reverse("datasets:begin-upload"), about).json()
    for start in range(0, size, PIECE_BYTES):
        file.seek(start)
        environment = {
            "wsgi.input": file,
            "CONTENT_TYPE": "application/octet-stream",
            "CONTENT_LENGTH": str(min(PIECE_BYTES, size - start)),
        }
        answer = client.generic("POST", f"{begun['address']}?start={start}", **environment)
        assert answer.status_code == 200, answer.content
    return str(client.post(f"{begun['address']}finish/").json()["go"])


def perform(reading_id: str) -> dict[str, float]:
    """Do a worker's work; return the seconds of each phase."""
    from deid_portal.datasets.models import Reading
    from deid_portal.datasets.reading_job import perform_reading
    from deid_portal.work.leases import claim

    lease = claim(Reading, reading_id)
    assert lease is not None
    tell = lease.progress
    seconds: dict[str, float] = {}
    watch = Watch()

    def note(done: int, total: int, phase: str, **figures: Any) -> None:
        if phase == "profile" and not seconds:
            seconds.update(watch.lap("read"))
        tell(done, total, phase, **figures)

    lease.progress = note  # type: ignore[method-assign]
    perform_reading(lease)
    seconds |= watch.lap("count")
    dataset = lease.work.dataset
    assert dataset.is_ready
    assert all(column.suggestion["role"] for column in dataset.columns.all())
    return seconds


class Body(io.RawIOBase):
    """A form with one file as it comes over the line, so that memory holds none of it."""

    def __init__(self, file: Any) -> None:
        head = (
            f"--{BOUNDARY}\r\nContent-Disposition: form-data; name=file; filename=people.csv\r\n"
            f"Content-Type: text/csv\r\n\r\n"
        )
        self._parts = [io.BytesIO(head.encode()), file]
        self._parts.append(io.BytesIO(f"\r\n--{BOUNDARY}--\r\n".encode()))
        self.size = sum(part.seek(0, io.SEEK_END) for part in self._parts)
        for part in self._parts:
            part.seek(0)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        for part in self._parts:
            if some := part.read(size):
                return bytes(some)
        return b""


def peak_megabytes() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


def forget_peak() -> int:
    """Let the peak of memory start again from what is in use; return that."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak_megabytes()


def write_up(rows: int, size: int, runs: list[dict[str, dict[str, float]]]) -> str:
    pandas = [run["pandas"] for run in runs]
    times = min(frame["all"] for frame in pandas), min(frame["all computing"] for frame in pandas)
    file = size / MEGABYTE
    return "\n".join(
        [
            "# Taking in a table, measured",
            "",
            "`python -m tests.benchmarks.intake` wrote this. Seconds on the clock, in brackets of",
            f"computing in all threads; the least of {len(runs)} runs. The file has {rows:,} rows, "
            f"{pandas[0]['columns']:.0f} columns and {file:.0f} MB.",
            "",
            f"Machine: {describe_machine()}.",
            "",
            "| case | s | times pandas | aim |",
            "|---|---|---|---|",
            f"| `pandas.read_csv`, types inferred | {times[0]:.2f} ({times[1]:.2f}) | 1.0 | |",
            *(line for way in WAYS for line in lines_of(way, [run[way] for run in runs], times)),
            "",
            "| memory beyond what the process had before | MB | times the file | aim |",
            "|---|---|---|---|",
            *(memory_line(way, [run[way] for run in runs], file) for way in WAYS),
            "",
        ]
    )


def lines_of(way: str, taken: list[dict[str, float]], pandas: tuple[float, float]) -> list[str]:
    best = min(taken, key=lambda run: sum(run[phase] for phase in PHASES))
    least = min(taken, key=lambda run: sum(run[f"{phase} computing"] for phase in PHASES))

    def line(words: str, phases: Iterable[str], aim: str) -> str:
        names = list(phases)
        clock = sum(best[name] for name in names)
        computing = sum(least[f"{name} computing"] for name in names)
        ratios = f"{clock / pandas[0]:.1f} ({computing / pandas[1]:.1f})"
        return f"| {words} | {clock:.2f} ({computing:.2f}) | {ratios} | {aim} |"

    return [
        *(line(f"{WAYS[way]}: {words}", [phase], "") for phase, words in PHASES.items()),
        line(f"**{WAYS[way]}: all of it**", PHASES, f"at most {MOST_TIMES_PANDAS}"),
    ]


def memory_line(way: str, taken: list[dict[str, float]], file: float) -> str:
    most = max(run["peak"] - run["before"] for run in taken)
    return f"| {WAYS[way]} | {most:.0f} | {most / file:.1f} | at most {MOST_TIMES_FILE} |"


def describe_machine() -> str:
    load = os.getloadavg()[0]
    return (
        f"{os.cpu_count()} cores, load {load:.1f} meanwhile, Python {platform.python_version()}, "
        f"numpy {np.__version__}, numba {numba.__version__}, pandas {pd.__version__}"
    )


if __name__ == "__main__":
    main()
