"""How fast risk is measured: `python -m tests.benchmarks.risk [--quick]`.

CPU seconds of one process, the least of three runs (linkage: one). What is measured on ten million
rows is also given as a multiple of the one grouping of the rows it needs, in a process of its own,
so that its peak of memory is its own. `--quick` leaves those rows and the linkage out. The answer
is printed and kept in `tests/benchmarks/results/risk.md`.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, TypeVar

import numba
import numpy as np

from deid_portal.engine import Column, ColumnType, Plan, Table, assess
from deid_portal.engine.attacks import AttackSetting
from deid_portal.engine.attacks.attack import Attack
from deid_portal.engine.attacks.distance_linkage import DistanceLinkage
from deid_portal.engine.attacks.record_linkage import RecordLinkage
from deid_portal.engine.progress import Progress
from deid_portal.engine.risk.column_influence import rank_columns
from deid_portal.engine.risk.distinction import rank_projections
from deid_portal.engine.risk.population_uniques import estimate_population_uniques
from deid_portal.engine.risk.special_uniques import SpecialUniques, SpecialUniquesSearch
from deid_portal.engine.risk.summary import summarize_risk
from deid_portal.engine.table.patterns import Patterns, reduce_table
from deid_portal.engine.table.projection import project_all
from deid_portal.engine.taxonomies import Taxonomy
from tests.benchmarks.enlarged import enlarge
from tests.engine.tables import adult_columns, adult_table, document, read_adult

RESULTS = Path(__file__).parent / "results" / "risk.md"
ROWS = 10_000_000
PEOPLE = 100_000
POPULATION = 300_000_000
SENSITIVE = "occupation"
LEVELS = {"age": 2, "education": 1, "native-country": 1, "workclass": 1}
MODELS: list[dict[str, Any]] = [
    {"model": "k-anonymity", "k": 5},
    {"model": "l-diversity", "variant": "distinct", "l": 2, "column": SENSITIVE},
    {"model": "l-diversity", "variant": "entropy", "l": 1.5, "column": SENSITIVE},
    {"model": "l-diversity", "variant": "recursive", "l": 2, "c": 3, "column": SENSITIVE},
    {"model": "t-closeness", "t": 0.2, "distance": "equal", "column": SENSITIVE},
    {"model": "t-closeness", "t": 0.2, "distance": "hierarchical", "column": SENSITIVE},
    {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 5, "column": SENSITIVE},
    {"model": "beta-likeness", "beta": 1.0, "column": SENSITIVE},
    {"model": "delta-disclosure", "delta": 1.0, "column": SENSITIVE},
    {"model": "average-risk", "limit": 0.2},
    {"model": "highest-risk", "limit": 0.2},
    {"model": "sample-uniqueness", "limit": 0.05},
]
T = TypeVar("T")


@dataclass(frozen=True)
class Measurement:
    case: str
    seconds: float
    aim: str = ""
    ratio: float | None = None  # to the one grouping
    peak_megabytes: int = 0
    remark: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="Adult only")
    parser.add_argument("--rows", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rows:
        print(json.dumps(measure_large(options.rows)))  # noqa: T201
        return
    measured = []
    for measurement in run_cases(options.quick):
        measured.append(measurement)
        print(line(measurement), flush=True)  # noqa: T201
    if not options.quick:
        RESULTS.write_text(write_up(measured), encoding="utf-8")


def run_cases(quick: bool) -> Iterator[Measurement]:
    adult = adult_table()
    plan = class_based_plan(adult)
    assess(adult, plan)
    seconds, _ = least_time(lambda: assess(adult, plan))
    yield Measurement("assess Adult, every class-based measure, warm", seconds, "1")
    if quick:
        return
    yield from large_cases()
    setting = loosely_released(enlarge(adult, PEOPLE))
    for attack in (RecordLinkage(), DistanceLinkage()):
        yield link(attack, setting)


def class_based_plan(adult: Table) -> Plan:
    """Return a plan that asks for every model and risk that is read off classes."""
    columns = adult_columns(list(adult.names), (SENSITIVE,))
    columns[SENSITIVE]["taxonomy"] = {"file": f"adult_hierarchy_{SENSITIVE}.csv"}
    measures = {"risk": {"population_size": POPULATION}}
    asked = document(columns, models=MODELS, method={"name": "none"}, measures=measures)
    return Plan.from_document(asked, read_file=read_adult)


def large_cases() -> Iterator[Measurement]:
    command = [sys.executable, "-m", "tests.benchmarks.risk", "--rows", str(ROWS)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    parts: dict[str, float] = json.loads(answer.stdout)
    peak, before = int(parts.pop("peak")), int(parts.pop("peak_before"))
    grouping = parts["one grouping of the rows"]
    for part, seconds in parts.items():
        aim = "3 groupings" if part == "every class-based risk" else ""
        yield Measurement(f"{ROWS:,} rows: {part}", seconds, aim, seconds / grouping)
    yield Measurement(
        f"{ROWS:,} rows: grouping and every risk",
        grouping + parts["every class-based risk"],
        peak_megabytes=peak,
        remark=f"{before} MB were the table and what was loaded",
    )


def find_special_uniques(patterns: Patterns) -> SpecialUniques:
    search = SpecialUniquesSearch(patterns, 3)
    for seen in project_all(patterns, 3):
        search.add(seen)
    return search.found()


def measure_large(rows: int) -> dict[str, float]:
    table = enlarge(adult_table(), rows)
    before = forget_peak()
    names = table.names
    grouping, patterns = least_time(lambda: reduce_table(table, names, (), Progress(None)))
    parts: dict[str, Callable[[], object]] = {
        "every class-based risk": lambda: summarize_risk(patterns, population_size=POPULATION),
        "combinations of up to 3 columns": lambda: rank_projections(
            patterns, project_all(patterns, 3)
        ),
        "special uniques": lambda: find_special_uniques(patterns),
        "risk without each column": lambda: rank_columns(patterns),
        "population uniques": lambda: estimate_population_uniques(patterns.counts, POPULATION),
    }
    seconds = {name: least_time(work)[0] for name, work in parts.items()}
    peaks = {"peak_before": before, "peak": peak_megabytes()}
    return {"one grouping of the rows": grouping} | seconds | peaks


def loosely_released(people: Table) -> AttackSetting:
    """Return a release of some levels higher, of which the attacker knows everyone's values."""
    taxonomies, columns = {}, []
    plan = Plan.from_document(document(adult_columns(list(people.names))), read_file=read_adult)
    for planned in plan.columns:
        assert planned.taxonomy is not None
        column = people[planned.name]
        taxonomies[planned.name] = taxonomy = planned.taxonomy.build(column)
        columns.append(show(column, taxonomy, LEVELS.get(column.name, 0)))
    rows = np.arange(people.rows, dtype=np.int32)
    return AttackSetting(people, Table(tuple(columns)), rows, people.names, taxonomies=taxonomies)


def show(column: Column, taxonomy: Taxonomy, level: int) -> Column:
    labels = [taxonomy.labels[level][code] for code in taxonomy.codes[level]]
    return Column.from_cells(column.name, (labels[code] for code in column.codes), ColumnType.TEXT)


def link(attack: Attack, setting: AttackSetting) -> Measurement:
    wall = perf_counter()
    seconds, result = least_time(lambda: attack.run(setting, np.random.default_rng(1)), 1)
    wall = perf_counter() - wall
    case = f"{attack.name} of {PEOPLE:,} people with {PEOPLE:,} records"
    found = f"finds {result.value:.2%} of them, {wall:.1f} s on the clock"
    return Measurement(case, seconds, "60", peak_megabytes=peak_megabytes(), remark=found)


def least_time(work: Callable[[], T], repeat: int = 3) -> tuple[float, T]:
    times = []
    for _ in range(repeat):
        started = process_time()
        answer = work()
        times.append(process_time() - started)
    return min(times), answer


def peak_megabytes() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


def forget_peak() -> int:
    """Let the peak of memory start again from what is in use; return that."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak_megabytes()


def line(measurement: Measurement) -> str:
    ratio = f"{measurement.ratio:.2f}" if measurement.ratio is not None else ""
    peak = f"{measurement.peak_megabytes:,} MB" if measurement.peak_megabytes else ""
    return (
        f"| {measurement.case} | {measurement.seconds:.3f} | {measurement.aim} | {ratio} "
        f"| {peak} | {measurement.remark} |"
    )


def write_up(measured: list[Measurement]) -> str:
    return "\n".join(
        [
            "# Risk, measured",
            "",
            "`python -m tests.benchmarks.risk` wrote this. CPU seconds of one process, the least",
            "of three runs (linkage: one). A ratio is a multiple of the one grouping of the rows",
            "into distinct patterns, measured in the same process; every risk is read off those.",
            "",
            f"Machine: {describe_machine()}.",
            "",
            "| case | CPU s | aim | ratio | peak memory | remark |",
            "|---|---|---|---|---|---|",
            *(line(measurement) for measurement in measured),
            "",
        ]
    )


def describe_machine() -> str:
    load = os.getloadavg()[0]
    return (
        f"{os.cpu_count()} cores, load {load:.1f} meanwhile, Python {platform.python_version()}, "
        f"numpy {np.__version__}, numba {numba.__version__}"
    )


if __name__ == "__main__":
    main()
