"""How fast Mondrian divides: `python -m tests.benchmarks.mondrian [--quick]`.

CPU seconds of one process, the least of three runs (ten million rows: one run). "Patterns" divides
distinct tuples with counts, as the method does; "rows" gives every row a tuple of its own, for
comparison; "all" is the whole method from the reduced table to the released columns. `--quick`
leaves out the tables of ten million rows. The answer is printed and kept in
`tests/benchmarks/results/mondrian.md`.
"""

import argparse
import gc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from deid_portal.engine import Table
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.kernel_warm_up import warm_up
from deid_portal.engine.methods.mondrian.axes import axis_of
from deid_portal.engine.methods.mondrian.mondrian import Mondrian
from deid_portal.engine.methods.mondrian.partition import Divider
from deid_portal.engine.methods.separation.bucketization import Bucketization
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.table import Codes, Counts
from tests.benchmarks.enlarged import enlarge
from tests.benchmarks.full_domain import (
    CLOSENESS,
    K5,
    Measurement,
    describe_machine,
    least_time,
    measure_reference,
    peak_megabytes,
    pose,
)
from tests.engine.tables import adult_table

RESULTS = Path(__file__).parent / "results" / "mondrian.md"
DIVERSE: dict[str, Any] = {"model": "l-diversity", "l": 3, "column": "occupation"}
MILLION = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no tables of ten million rows")
    options = parser.parse_args()
    warm_up()
    adult = adult_table()
    reference = measure_reference(pose(adult))
    measured = []
    for measurement in run_cases(adult, options.quick):
        measured.append(measurement)
        print(line(measurement, reference), flush=True)  # noqa: T201
    if not options.quick:
        RESULTS.write_text(write_up(measured, reference), encoding="utf-8")


def run_cases(adult: Table, quick: bool) -> Iterator[Measurement]:
    yield from divide_and_apply("Adult, 9 columns", adult, 3, {})
    aims = {"patterns": "0.5", "rows": "0.5"}
    yield from divide_and_apply("1,000,000 rows, 9 columns", enlarge(adult, MILLION), 3, aims)
    yield from other_rules(enlarge(adult, MILLION))
    if not quick:
        aims = {"patterns": "less than by rows", "rows": "10"}
        large = enlarge(adult, 10 * MILLION)
        yield from divide_and_apply("10,000,000 rows, 9 columns", large, 1, aims)


def divide_and_apply(
    case: str, table: Table, repeat: int, aims: dict[str, str]
) -> Iterator[Measurement]:
    problem = pose(table, models=[K5])
    patterns = problem.patterns
    yield divide(case, "patterns", problem, patterns.codes, patterns.counts, False, repeat, aims)
    rows = [table[name].codes for name in problem.names]
    ones = np.ones(table.rows, np.int64)
    yield divide(case, "rows", problem, rows, ones, False, repeat, aims)
    yield divide(case, "rows, relaxed", problem, rows, ones, True, repeat, aims)
    gc.collect()
    yield apply(f"{case}: all", problem, Mondrian(), repeat)


def other_rules(table: Table) -> Iterator[Measurement]:
    for words, models in (("3 occupations", [K5, DIVERSE]), ("closeness 0.2", [K5, CLOSENESS])):
        problem = pose(table, sensitive="occupation", models=models)
        case = f"{table.rows:,} rows, 8 columns, k = 5 and {words}: all"
        yield apply(case, problem, Mondrian(), 1)
    problem = pose(table, sensitive="occupation", models=[DIVERSE])
    case = f"{table.rows:,} rows, bucketization, l = 3: all"
    yield apply(case, problem, Bucketization(3, "occupation"), 1)


def divide(
    case: str,
    unit: str,
    problem: Problem,
    codes: Sequence[Codes] | Codes,
    weights: Counts,
    relaxed: bool,
    repeat: int,
    aims: dict[str, str],
) -> Measurement:
    axes = [
        axis_of(problem.table[name], taxonomy, recipe)
        for name, taxonomy, recipe in zip(
            problem.names, problem.taxonomies, problem.recipes, strict=True
        )
    ]

    def work() -> int:
        places = np.array([axis.places[own] for axis, own in zip(axes, codes, strict=True)])
        divider = Divider(axes, places, weights, problem.weights, least=5, relaxed=relaxed)
        return divider.divide_by_counts(Progress(None)).count

    seconds, groups = least_time(work, repeat)
    return Measurement(
        f"{case}: {len(weights):,} {unit}",
        seconds,
        aims.get(unit, ""),
        f"{groups:,}",
        peak_megabytes(),
    )


def apply(
    case: str, problem: Problem, method: Mondrian | Bucketization, repeat: int
) -> Measurement:
    def work() -> TableDraft:
        generator = np.random.default_rng(1)
        return method.apply(TableDraft.start(problem), generator, Progress(None))

    seconds, draft = least_time(work, repeat)
    groups = draft.steps[-1]["groups"]
    return Measurement(case, seconds, "", f"{groups:,}", peak_megabytes())


def line(measurement: Measurement, reference: float) -> str:
    return (
        f"| {measurement.case} | {measurement.seconds:.3f} | {measurement.aim} "
        f"| {measurement.seconds / reference:.3f} | {measurement.checked} "
        f"| {measurement.peak_megabytes:,} MB |"
    )


def write_up(measured: list[Measurement], reference: float) -> str:
    return "\n".join(
        [
            "# Mondrian, measured",
            "",
            "`python -m tests.benchmarks.mondrian` wrote this. CPU seconds of one process, the",
            "least of three runs (ten million rows and other rules: one run), k = 5. A ratio is a",
            "multiple of the reference of the same run.",
            "",
            f"Machine: {describe_machine()}.",
            "",
            f"Reference: pandas groups Adult's patterns at 50 combinations of levels in "
            f"{reference:.2f} s.",
            "",
            "| case | CPU s | aim | ratio | groups | peak memory so far |",
            "|---|---|---|---|---|---|",
            *(line(measurement, reference) for measurement in measured),
            "",
        ]
    )


if __name__ == "__main__":
    main()
