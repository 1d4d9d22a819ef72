"""How fast the optimum is found: `python -m tests.benchmarks.full_domain [--quick]`.

Every case is measured in CPU seconds of one process, the least of several repetitions, and as a
multiple of a reference measured in the same process: pandas grouping the coded patterns of Adult
at 50 seeded combinations of levels. `--quick` leaves out the tables of ten million rows.
The answer is printed and kept in `tests/benchmarks/results/full_domain.md`.
"""

import argparse
import gc
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any, TypeVar

import numba
import numpy as np
import pandas as pd

from deid_portal.engine import Plan, Table
from deid_portal.engine.files.csv.reader import CsvFormat, read_csv
from deid_portal.engine.methods.local_recoding import LocalRecoding
from deid_portal.engine.methods.method import records_allowed
from deid_portal.engine.progress import Progress
from deid_portal.engine.protection import pose_problem
from deid_portal.engine.search.heuristic import Explorer
from deid_portal.engine.search.incumbent import SearchResult
from deid_portal.engine.search.lattice import Lattice
from deid_portal.engine.search.optimum import find_optimum, search_exhaustively
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.utility import METRICS
from tests.benchmarks.enlarged import enlarge, widen, write_enlarged
from tests.engine.tables import adult_table, document, read_adult

RESULTS = Path(__file__).parent / "results" / "full_domain.md"
K5: dict[str, Any] = {"model": "k-anonymity", "k": 5}
CLOSENESS: dict[str, Any] = {
    "model": "t-closeness",
    "t": 0.2,
    "distance": "equal",
    "column": "occupation",
}
REFERENCE_NODES = 50
NAIVE_NODES = 10
T = TypeVar("T")


@dataclass(frozen=True)
class Measurement:
    case: str
    seconds: float
    aim: str = ""
    checked: str = ""
    peak_megabytes: int = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no tables of ten million rows")
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.file:
        print(json.dumps(read_compress_search(options.file)))  # noqa: T201
        return
    load = os.getloadavg()[0]
    adult = adult_table()
    reference = measure_reference(pose(adult))
    naive = measure_naive(pose(adult))
    measured = []
    for measurement in run_cases(adult, options.quick):
        measured.append(measurement)
        print(line(measurement, reference), flush=True)  # noqa: T201
    if not options.quick:
        RESULTS.write_text(write_up(measured, reference, naive, load), encoding="utf-8")


def run_cases(adult: Table, quick: bool) -> Iterator[Measurement]:
    problem = pose(adult)
    for limit, aim in ((0.0, 0.07), (0.02, 0.20), (0.05, 0.14), (1.0, 0.12)):
        yield search(f"Adult, 9 columns, loss, {limit:.0%}", problem, limit, f"{aim:.2f}")
    yield search("Adult, 9 columns, discernibility, 5%", problem, 0.05, "", "discernibility")
    yield exhaustive(problem)
    eight = pose(adult, sensitive="occupation", models=[K5, CLOSENESS])
    yield search("Adult, 8 columns, k = 5 and closeness 0.2, 5%", eight, 0.05, "0.3")
    yield recode("Adult, 8 columns, k = 5 and closeness 0.2, 5%, local recoding", eight)
    yield cut("Adult, 9 columns, loss, 5%, cut into boxes", problem)
    for columns in (7, 8, 10, 11, 12):
        goal = "10" if columns == 12 else ""
        wide = pose(widen(adult, columns))
        yield search(f"Adult, {columns} columns, loss, 5%", wide, 0.05, goal, repeat=1)
    sizes = {100_000: "", 1_000_000: "0.3"} | ({} if quick else {10_000_000: "1.0"})
    for rows, goal in sizes.items():
        large = enlarge(adult, rows)
        started = process_time()
        problem = pose(large)
        yield Measurement(f"{rows:,} rows to distinct patterns", process_time() - started)
        yield search(f"{rows:,} rows, loss, 5%", problem, 0.05, goal)
        del large, problem
        gc.collect()
    if not quick:
        yield from from_file(adult, 10_000_000)


def pose(table: Table, sensitive: str = "", models: list[dict[str, Any]] | None = None) -> Problem:
    """Reduce the table: every column a quasi-identifier but the sensitive one."""
    columns = {
        name: {
            "role": "sensitive" if name == sensitive else "quasi-identifier",
            "taxonomy": {"file": f"adult_hierarchy_{name.removesuffix('-2')}.csv"},
        }
        for name in table.names
    }
    plan = Plan.from_document(document(columns, models=models or [K5]), read_file=read_adult)
    return pose_problem(table, plan, Progress(None))


def search(
    case: str,
    problem: Problem,
    limit: float,
    aim: str = "",
    metric: str = "loss",
    repeat: int = 3,
) -> Measurement:
    def find() -> SearchResult:
        checker = problem.checker(METRICS[metric])
        return find_optimum(checker, records_allowed(limit, problem.rows), Progress(None))

    seconds, found = least_time(find, repeat)
    return Measurement(case, seconds, aim, checks(found), peak_megabytes())


def exhaustive(problem: Problem) -> Measurement:
    def find() -> SearchResult:
        checker = problem.checker(METRICS["loss"])
        lattice = Lattice(problem.heights)
        found = SearchResult(records_allowed(0.05, problem.rows), lattice.size)
        search_exhaustively(checker, lattice, found, Progress(None))
        return found

    seconds, found = least_time(find, 3)
    return Measurement("Adult, 9 columns, every combination", seconds, "0.9", checks(found))


def recode(case: str, problem: Problem) -> Measurement:
    method = LocalRecoding(suppression_limit=0.05, metric="loss")
    seconds, found = least_time(lambda: method.find(problem, Progress(None)), 1)
    return Measurement(case, seconds, checked=f"{found.checked:,} in all rounds")


def cut(case: str, problem: Problem) -> Measurement:
    """Search as lattices of more than a million combinations are searched."""

    def find() -> SearchResult:
        checker = problem.checker(METRICS["loss"])
        lattice = Lattice(problem.heights)
        found = SearchResult(records_allowed(0.05, problem.rows), lattice.size, tolerance=1e-11)
        Explorer(checker, lattice, found, Progress(None), seconds=60).explore()
        return found

    seconds, found = least_time(find, 3)
    proved = "proved" if found.optimal else "not proved"
    return Measurement(case, seconds, checked=f"{checks(found)}, {proved}")


def from_file(adult: Table, rows: int) -> Iterator[Measurement]:
    """Read a file in a fresh process, so that its peak of memory is its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.csv"
        write_enlarged(adult, rows, path)
        command = [sys.executable, "-m", "tests.benchmarks.full_domain", "--file", str(path)]
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
    parts: dict[str, float] = json.loads(answer.stdout)
    peak = int(parts.pop("peak_megabytes"))
    for part, seconds in parts.items():
        yield Measurement(f"{rows:,} rows from a file: {part}", seconds)
    total = sum(parts.values())
    yield Measurement(
        f"{rows:,} rows from a file: all", total, "10 and 1000 MB", peak_megabytes=peak
    )


def read_compress_search(path: Path) -> dict[str, float]:
    marks = [process_time()]
    table = read_csv(path, CsvFormat(delimiter=";"))
    marks.append(process_time())
    problem = pose(table)
    marks.append(process_time())
    checker = problem.checker(METRICS["loss"])
    find_optimum(checker, records_allowed(0.05, problem.rows), Progress(None))
    marks.append(process_time())
    seconds = np.diff(marks).tolist()
    parts = dict(zip(("read", "compress", "search"), seconds, strict=True))
    return parts | {"peak_megabytes": peak_megabytes()}


def measure_reference(problem: Problem) -> float:
    """Return the CPU seconds pandas takes to group Adult's patterns at 50 combinations."""
    counts = problem.patterns.counts

    def group_all() -> None:
        for levels in seeded_nodes(problem, REFERENCE_NODES):
            parts = zip(problem.taxonomies, levels, problem.patterns.codes, strict=True)
            columns = [taxonomy.codes[level][codes] for taxonomy, level, codes in parts]
            frame = pd.DataFrame(dict(zip(problem.names, columns, strict=True)))
            frame["counts"] = counts
            frame.groupby(list(problem.names), sort=False)["counts"].sum()

    return least_time(group_all, 3)[0]


def measure_naive(problem: Problem) -> float:
    """Return the CPU seconds per combination if pandas groups all rows by the text they show."""

    def group_some() -> None:
        for levels in seeded_nodes(problem, NAIVE_NODES):
            frame = pd.DataFrame(
                {
                    name: np.array(taxonomy.labels[level], object)[
                        taxonomy.codes[level][problem.table[name].codes]
                    ]
                    for name, taxonomy, level in zip(
                        problem.names, problem.taxonomies, levels, strict=True
                    )
                }
            )
            frame.groupby(list(problem.names), sort=False).size()

    return least_time(group_some, 2)[0] / NAIVE_NODES


def seeded_nodes(problem: Problem, count: int) -> list[list[int]]:
    generator = np.random.default_rng(5)
    return [
        [int(generator.integers(0, height + 1)) for height in problem.heights] for _ in range(count)
    ]


def least_time(work: Callable[[], T], repeat: int) -> tuple[float, T]:
    times = []
    for _ in range(repeat):
        started = process_time()
        answer = work()
        times.append(process_time() - started)
    return min(times), answer


def checks(found: SearchResult) -> str:
    return f"{found.checked:,} of {found.nodes:,}"


def peak_megabytes() -> int:
    """Return the peak of this process alone; `ru_maxrss` would begin with that of its parent."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


def line(measurement: Measurement, reference: float) -> str:
    peak = f"{measurement.peak_megabytes:,} MB" if measurement.peak_megabytes else ""
    return (
        f"| {measurement.case} | {measurement.seconds:.3f} | {measurement.aim} "
        f"| {measurement.seconds / reference:.3f} | {measurement.checked} | {peak} |"
    )


def write_up(
    measured: list[Measurement], reference: float, naive: float, load_before: float
) -> str:
    seconds = {measurement.case: measurement.seconds for measurement in measured}
    rows = seconds["10,000,000 rows, loss, 5%"] / seconds["Adult, 9 columns, loss, 5%"]
    columns = seconds["Adult, 12 columns, loss, 5%"] / seconds["Adult, 7 columns, loss, 5%"]
    every = seconds["Adult, 9 columns, every combination"]
    one_by_one = 12960 / REFERENCE_NODES * reference
    return "\n".join(
        [
            "# Full-domain search, measured",
            "",
            "`python -m tests.benchmarks.full_domain` wrote this. CPU seconds of one process, the",
            "least of three runs (tables of 7 to 12 columns, compressing and the file: one run);",
            "a ratio is a multiple of the reference of the same run.",
            "",
            f"Machine: {describe_machine()}. Processes waiting for a core, on average: "
            f"{load_before:.1f} when this began, {os.getloadavg()[0]:.1f} when it ended.",
            "",
            f"Reference: pandas groups Adult's patterns at {REFERENCE_NODES} combinations of "
            f"levels in {reference:.2f} s.",
            "",
            "| case | CPU s | aim | ratio | checked | peak memory so far |",
            "|---|---|---|---|---|---|",
            *(line(measurement, reference) for measurement in measured),
            "",
            f"- All 12,960 combinations, extrapolated: pandas on the patterns {one_by_one:.0f} s, "
            f"rolling up is {one_by_one / every:.0f} times as fast; pandas on the rows and their "
            f"texts ({NAIVE_NODES} combinations measured) {12960 * naive:.0f} s, "
            f"{12960 * naive / every:.0f} times.",
            f"- From 30,162 to 10,000,000 rows (332 times) the search takes {rows:.1f} times as "
            f"long.",
            f"- From 7 to 12 columns (162 times the combinations) it takes {columns:.0f} times as "
            f"long.",
            "",
        ]
    )


def describe_machine() -> str:
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    models = [text.split(":", 1)[1].strip() for text in lines if text.startswith("model name")]
    model = models[0] if models else platform.machine()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{os.cpu_count()} cores of {model}, {memory:.0f} GB, Python {platform.python_version()}, "
        f"numpy {np.__version__}, numba {numba.__version__}, pandas {pd.__version__}"
    )


if __name__ == "__main__":
    main()
