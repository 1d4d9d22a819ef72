"""How fast top-down is, and what it leaves to learn: `python -m tests.benchmarks.top_down`.

Times are CPU seconds of one process, the least of three runs, from the table's distinct patterns to
the final cuts. The study's grid (Mohammed et al., 2009) asks how well the income class can still be
learned from the release. `--quick` leaves it out and writes nothing; otherwise the answer is kept
in `tests/benchmarks/results/top_down.md`.
"""

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from deid_portal.engine import Column, Plan, Table
from deid_portal.engine.methods.top_down.cuts import Cuts, Specialization
from deid_portal.engine.progress import Progress
from deid_portal.engine.protection import pose_problem
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.utility.classifiers import encode_features
from tests.benchmarks.enlarged import enlarge
from tests.benchmarks.full_domain import describe_machine, least_time
from tests.engine.tables import adult_table, document, read_adult

RESULTS = Path(__file__).parent / "results" / "top_down.md"
CLASS = "salary-class"
SECRET = "marital-status"
PROTECTED = ["Divorced", "Separated"]
# Shuffled copies of these make thirteen quasi-identifiers out of Adult's eight.
COPIED = ("native-country", "workclass", "occupation", "education", "race")
KNOWN, SIZES, SHARES = (2, 4, 6), (20, 40, 60, 80, 100), (0.2, 0.4, 0.6)
FOLDS, SEED = 5, 7


@dataclass(frozen=True)
class Measurement:
    case: str
    aim: str
    patterns: int
    compressing: float
    seconds: float
    cuts: Cuts


@dataclass(frozen=True)
class Cell:
    """One point of the grid: the parameters and the error in percent."""

    known: int
    size: int
    share: float
    error: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="times only, nothing written")
    options = parser.parse_args()
    adult = adult_table()
    measured = list(_telling(run_cases(adult)))
    if options.quick:
        return
    text = "\n".join([*describe_times(measured), *describe_grids(adult)])
    print(text)  # noqa: T201
    RESULTS.write_text(text, encoding="utf-8")


def _telling(measurements: Iterable[Measurement]) -> Iterator[Measurement]:
    for measurement in measurements:
        print(line(measurement), flush=True)  # noqa: T201
        yield measurement


def run_cases(adult: Table) -> Iterator[Measurement]:
    for columns, aim in ((9, "0.1"), (13, "0.3")):
        wide = widen(adult, columns)
        for known, size, share in ((3, 20, 0.4), (3, 2, 1.0), (6, 20, 0.4)):
            yield measure(wide, (known, size, share), CLASS, aim if known == 3 else "")
            yield measure(wide, (known, size, share), None, aim if known == 3 else "")
    large = widen(enlarge(adult, 1_000_000), 9)
    for size in (20, 100):
        yield measure(large, (3, size, 0.4), CLASS, "1")
        yield measure(large, (3, size, 0.4), None, "1")


def measure(
    table: Table, asked: tuple[int, int, float], class_column: str | None, aim: str
) -> Measurement:
    compressing, problem = least_time(lambda: pose(table, *asked), 1)
    seconds, cuts = least_time(lambda: specialize(problem, class_column), 3)
    known, size, share = asked
    score = "information gain" if class_column else "discernibility"
    case = (
        f"{table.rows:,} rows, {len(problem.names)} columns, L = {known}, K = {size}, "
        f"C = {share:g}, {score}"
    )
    return Measurement(case, aim, len(problem.patterns.counts), compressing, seconds, cuts)


def specialize(problem: Problem, class_column: str | None) -> Cuts:
    cuts = Specialization(problem, class_column, Progress(None)).run()
    assert cuts is not None
    return cuts


def pose(table: Table, known: int, size: int, share: float) -> Problem:
    """Every column a quasi-identifier but the class and the secret; age grows its tree."""
    columns: dict[str, Any] = {
        name: {
            "role": "quasi-identifier",
            "taxonomy": {"file": f"adult_hierarchy_{name.removesuffix('-2')}.csv"},
        }
        for name in table.names
    }
    columns |= {
        "age": {"role": "quasi-identifier"},
        CLASS: {"role": "insensitive"},
        SECRET: {"role": "sensitive"},
    }
    model = {"model": "lkc-privacy", "L": known, "K": size, "C": share}
    asked = document(columns, models=[model | {"values": {SECRET: PROTECTED}}])
    return pose_problem(table, Plan.from_document(asked, read_file=read_adult), Progress(None))


def widen(table: Table, columns: int, seed: int = 2) -> Table:
    """Return the class, the secret, and so many other columns, some of them shuffled copies."""
    generator = np.random.default_rng(seed)
    own = [column for column in table.columns if column.name not in (CLASS, SECRET)]
    copies = [
        Column(f"{name}-2", table[name].type, generator.permutation(table[name].codes), values)
        for name in (*COPIED, "sex")
        for values in [table[name].values]
    ]
    return Table((*(*own, *copies)[:columns], table[CLASS], table[SECRET]))


def release_all(adult: Table) -> dict[tuple[int, int, float], Table]:
    """Return the release of every point of the grid, with the class column."""
    released = {}
    for known, share, size in product(KNOWN, SHARES, SIZES):
        problem = pose(adult, known, size, share)
        cuts = specialize(problem, CLASS)
        shown = [cuts.show(adult[name], index) for index, name in enumerate(problem.names)]
        released[known, size, share] = Table((*shown, adult[CLASS]))
    return released


def error_of(table: Table, classifier: Any) -> float:
    """Return the cross-validated error in percent of learning the class from the other columns."""
    names = [name for name in table.names if name not in (CLASS, SECRET)]
    features = encode_features(table, names, np.arange(table.rows))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    accuracy = cross_val_score(classifier, features, table[CLASS].codes, cv=folds)
    return float(100 * (1 - accuracy.mean()))


def majority_of(table: Table) -> float:
    return float(100 * (1 - table[CLASS].counts.max() / table.rows))


def line(measurement: Measurement) -> str:
    return (
        f"| {measurement.case} | {measurement.patterns:,} | {measurement.compressing:.3f} "
        f"| {measurement.seconds:.3f} | {measurement.aim} | {len(measurement.cuts.steps)} of "
        f"{measurement.cuts.judged} |"
    )


def describe_times(measured: list[Measurement]) -> list[str]:
    return [
        "# Top-down specialization, measured",
        "",
        "`python -m tests.benchmarks.top_down` wrote this. CPU seconds of one process, from",
        "distinct patterns to final cuts, the least of three runs with warm kernels.",
        "",
        f"Machine: {describe_machine()}.",
        "",
        "| case | patterns | compressing | CPU s | aim | opened of judged |",
        "|---|---|---|---|---|---|",
        *(line(measurement) for measurement in measured),
        "",
        "Nine and thirteen columns are Adult's seven beside class and secret, and shuffled copies.",
        "",
    ]


def describe_grids(adult: Table) -> Iterator[str]:
    yield from [
        "## How well the class can still be learned",
        "",
        f"Adult, {PROTECTED[0]} and {PROTECTED[1]} of {SECRET} protected, score information gain",
        f"about {CLASS}. Error in percent of learning it from the quasi-identifiers, "
        f"{FOLDS} folds:",
        "the table here has 30,162 rows and no test split, and of the study's thirteen",
        "quasi-identifiers only seven, so its 15.5 % on untouched data cannot be reached here.",
    ]
    released = release_all(adult)
    classifiers = {
        "Logistic regression": LogisticRegression(max_iter=500),
        "Decision tree, at least 20 rows per leaf": DecisionTreeClassifier(
            min_samples_leaf=20, random_state=SEED
        ),
    }
    for name, classifier in classifiers.items():
        cells = [Cell(*at, error_of(table, classifier)) for at, table in released.items()]
        yield from ["", f"### {name}", ""]
        yield from describe_grid(cells, error_of(adult, classifier), majority_of(adult))


def describe_grid(cells: list[Cell], untouched: float, majority: float) -> list[str]:
    pairs = list(_pairs(cells))
    worse = sum(loose.error > strict.error + 0.005 for strict, loose in pairs)
    below, above = (
        sum(cell.error < untouched for cell in cells),
        sum(cell.error > majority for cell in cells),
    )
    return [
        f"Untouched **{untouched:.2f}**, always guessing the majority **{majority:.2f}**.",
        "",
        "| L | C | " + " | ".join(f"K = {size}" for size in SIZES) + " |",
        "|---|---|" + "---|" * len(SIZES),
        *(_grid_line(cells, known, share) for known, share in product(KNOWN, SHARES)),
        "",
        f"- {len(cells) - below - above} of {len(cells)} lie between untouched and majority, "
        f"{below} below untouched, {above} above the majority.",
        "- Mean by L: " + _means(cells, "known", KNOWN) + ".",
        "- Mean by K: " + _means(cells, "size", SIZES) + ".",
        "- Mean by C: " + _means(cells, "share", SHARES) + ".",
        f"- Loosening one parameter by one step gives a larger error in {worse} of {len(pairs)} "
        f"neighboring pairs: each step is the best, the sequence need not be.",
        "",
    ]


def _grid_line(cells: list[Cell], known: int, share: float) -> str:
    row = [cell for cell in cells if (cell.known, cell.share) == (known, share)]
    return f"| {known} | {share:g} | " + " | ".join(f"{cell.error:.2f}" for cell in row) + " |"


def _means(cells: list[Cell], name: str, values: Iterable[float]) -> str:
    means = {
        value: mean(cell.error for cell in cells if getattr(cell, name) == value)
        for value in values
    }
    return ", ".join(f"{value:g}: {error:.2f}" for value, error in means.items())


def _pairs(cells: list[Cell]) -> Iterator[tuple[Cell, Cell]]:
    """Yield neighbors on the grid, the stricter first."""
    at = {(cell.known, cell.size, cell.share): cell for cell in cells}
    for known, size, share in at:
        looser = [
            *((own, size, share) for own in KNOWN if own == known - 2),
            *((known, own, share) for own in SIZES if own == size - 20),
            *((known, size, own) for own in SHARES if abs(own - share - 0.2) < 1e-9),
        ]
        yield from ((at[known, size, share], at[other]) for other in looser)


if __name__ == "__main__":
    main()
