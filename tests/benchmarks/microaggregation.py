"""How fast and how good microaggregation is: `python -m tests.benchmarks.microaggregation`.

CPU seconds of one process for finding the groups, the least of three runs (a million rows: one
run), and 100 · SSE / SST of the standardized columns. Kernels are compiled before. Made tables:
normal columns; columns that depend on three hidden ones; skewed, log-normal ones, where few
records make most of the loss. The answer is printed and kept in
`tests/benchmarks/results/microaggregation.md`.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine import Table
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.methods.microaggregation import mdav, projected, univariate_optimal
from deid_portal.engine.methods.microaggregation.groups import Groups
from deid_portal.engine.methods.microaggregation.kernels import NUMBER, Space
from deid_portal.engine.methods.microaggregation.microaggregation import Microaggregation
from deid_portal.engine.progress import Progress
from tests.benchmarks.full_domain import describe_machine, least_time, pose
from tests.engine.tables import DATA, adult_table

RESULTS = Path(__file__).parent / "results" / "microaggregation.md"
QUIET = Progress(None)
PUBLISHED = {
    "census": {3: 5.6922, 5: 9.0884, 10: 14.1559},
    "tarragona": {3: 16.9326, 5: 22.4619, 10: 33.1929},
    "eia": {3: 0.4829, 5: 1.6667, 10: 3.8397},
}
Points = NDArray[np.float64]  # column × record


@dataclass(frozen=True)
class Line:
    case: str
    seconds: float
    aim: str
    loss: str
    beside: str = ""  # the loss to compare with

    def __str__(self) -> str:
        return f"| {self.case} | {self.seconds:.3f} | {self.aim} | {self.loss} | {self.beside} |"


def main() -> None:
    lines = []
    for line in chain(reference_sets(), made_tables(), single_columns(), adult()):
        lines.append(line)
        print(line, flush=True)  # noqa: T201
    RESULTS.write_text(write_up(lines), encoding="utf-8")


def reference_sets() -> Iterator[Line]:
    for name, losses in PUBLISHED.items():
        points = standardize(read(name))
        for k, published in losses.items():
            case = f"{name}, {points.shape[1]} × {len(points)}, k = {k}"
            seconds, groups = least_time(lambda: find(points, k), 3)  # noqa: B023
            yield Line(case, seconds, "", f"{loss(points, groups):.4f}", f"published {published}")


def made_tables() -> Iterator[Line]:
    for name, points in make(100_000).items():
        for k in (3, 5, 10):
            yield from whole_and_blocked(name, points, k, 3, ("5", "0.5"))
    yield from whole_and_blocked("normal", make(1_000_000)["normal"], 10, 1, ("", ""))


def whole_and_blocked(
    name: str, points: Points, k: int, repeat: int, aims: tuple[str, str]
) -> Iterator[Line]:
    case = f"{name}, {points.shape[1]:,} × {len(points)}, k = {k}"
    seconds, groups = least_time(lambda: find(points, k), repeat)
    whole = loss(points, groups)
    yield Line(case, seconds, aims[0], f"{whole:.3f}")
    seconds, groups = least_time(lambda: find(points, k, blocked=True), repeat)
    blocked = loss(points, groups)
    more = f"{blocked / whole - 1:+.0%} (aim: +33% at most)"
    yield Line(f"{case}, blocked", seconds, aims[1], f"{blocked:.3f}", more)
    seconds, groups = least_time(lambda: projected.find_groups(points, k), repeat)
    flat = loss(points, groups)
    yield Line(f"{case}, projected", seconds, "", f"{flat:.3f}", f"{flat / whole - 1:+.0%}")


def single_columns() -> Iterator[Line]:
    points = make(1_000_000)["normal"][:1]
    for k in (3, 100):
        seconds, groups = least_time(lambda: univariate_optimal.find_groups(points[0], k), 3)  # noqa: B023
        case = f"normal, 1,000,000 × 1, k = {k}, univariate-optimal"
        yield Line(case, seconds, "", f"{loss(points, groups):.2g}")


def adult() -> Iterator[Line]:
    """Measure the whole method on mixed columns: one number, eight categories with taxonomies."""
    table: Table = adult_table()
    problem = pose(table)
    for blocked in (False, True):
        method = Microaggregation(k=5, blocked=blocked)
        seconds, _ = least_time(lambda: apply(method, TableDraft.start(problem)), 1)  # noqa: B023
        case = f"Adult, {table.rows:,} × 9, k = 5, all" + ", blocked" * blocked
        yield Line(case, seconds, "", "")


def apply(method: Microaggregation, draft: TableDraft) -> TableDraft:
    return method.apply(draft, np.random.default_rng(1), QUIET)


def make(rows: int) -> dict[str, Points]:
    draw = np.random.default_rng(1)
    mixing = draw.normal(size=(8, 3))
    tables = {
        "normal": draw.normal(size=(8, rows)),
        "dependent": mixing @ draw.normal(size=(3, rows)) + 0.2 * draw.normal(size=(8, rows)),
        "skewed": np.exp(draw.normal(size=(8, rows))),
    }
    return {name: standardize(points) for name, points in tables.items()}


def read(name: str) -> Points:
    with (DATA / "microaggregation" / f"{name}.csv").open(encoding="utf-8") as file:
        return np.array(list(csv.reader(file))[1:], np.float64).T


def standardize(points: Points) -> Points:
    middle, spread = points.mean(axis=1, keepdims=True), points.std(axis=1, keepdims=True)
    return np.ascontiguousarray((points - middle) / spread)


def find(points: Points, k: int, *, blocked: bool = False) -> Groups:
    columns = len(points)
    nothing = np.zeros(columns, np.int64)
    space = Space(
        np.full(columns, NUMBER),
        np.ones(columns),
        np.full(columns, np.inf),
        nothing,
        nothing,
        nothing,
        np.zeros(0, np.int32),
    )
    return mdav.find_groups(space, points, k, QUIET, blocked=blocked)


def loss(points: Points, groups: Groups) -> float:
    errors = 0.0
    for column in points:
        means = np.bincount(groups.of_record, column) / groups.sizes
        errors += float(((column - means[groups.of_record]) ** 2).sum())
    return 100 * errors / points.size


def write_up(lines: list[Line]) -> str:
    return "\n".join(
        [
            "# Microaggregation, measured",
            "",
            "`python -m tests.benchmarks.microaggregation` wrote this. CPU seconds of one process,",
            "the least of three runs (a million rows and Adult: one run), for finding the groups;",
            "loss is 100 · SSE / SST of the standardized columns. Without a word it is MDAV.",
            "",
            f"Machine: {describe_machine()}.",
            "",
            "| case | CPU s | aim | loss | beside |",
            "|---|---|---|---|---|",
            *map(str, lines),
            "",
        ]
    )


if __name__ == "__main__":
    main()
