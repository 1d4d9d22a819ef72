"""Lists and sentences about attacks, methods and classifiers in a report.

Each returns None or an empty list if the report lacks the entries, so that reports of versions
without a measure can be shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from deid_portal.engine.charts.chart import ChartTable
from deid_portal.engine.methods import METHODS
from deid_portal.engine.report import Report
from deid_portal.engine.report.attacks import AttackFinding, AttackProblem
from deid_portal.engine.report.risk import SafeHarborFinding
from deid_portal.engine.report.transformation import LabelCount, MethodStep, RandomizedCells
from deid_portal.engine.report.utility import ClassifierProblem
from deid_portal.engine.wording.numbers import percent, thousands
from deid_portal.engine.wording.words import value_words

LABELS_SHOWN = 30


def classifier_problem(report: Report) -> str:
    """Return why a classifier that was asked for could not be trained, or ""."""
    answers = (report.comparison.classifiers if report.comparison else None) or ()
    return next((own.problem for own in answers if isinstance(own, ClassifierProblem)), "")


@dataclass(frozen=True)
class AttackLine:
    """The success of an attack, with and without the release (`control`), or why it failed."""

    name: str
    explain: str
    problem: str = ""
    sentence: str = ""
    records: int = 0
    value: str = ""
    interval: str = ""
    control: str = ""
    kind: str = ""


def describe_attacks(report: Report) -> list[AttackLine]:
    """Return one line per attack: its success with its interval, or why it was not possible."""
    return [_describe_attack(entry) for entry in report.attacks or ()]


def _describe_attack(entry: AttackFinding | AttackProblem) -> AttackLine:
    name = entry.attack.replace("-", " ").capitalize()
    if isinstance(entry, AttackProblem):
        return AttackLine(name, entry.explain, problem=entry.problem)
    low, high = entry.interval
    is_exact = low == high
    return AttackLine(
        name,
        entry.explain,
        sentence=entry.sentence,
        records=entry.records,
        value=percent(entry.value),
        interval="" if is_exact else f"{percent(low)} to {percent(high)}",
        control="" if entry.control_value is None else percent(entry.control_value),
        kind="ok" if not entry.records else "warn",
    )


@dataclass(frozen=True)
class StepLine:
    title: str
    slug: str  # of the help page
    facts: list[tuple[str, str]]


def describe_steps(report: Report) -> list[StepLine]:
    """Describe what each method did, in the order of the plan.

    A single method that only chose levels is omitted: the table of columns shows the levels.
    """
    steps = report.steps
    if len(steps) == 1 and report.transformation.levels:
        return []
    return [
        StepLine(_title_of(step.method), f"method-{step.method}", list(_facts(step)))
        for step in steps
    ]


def _title_of(name: str) -> str:
    return METHODS[name].title if name in METHODS else name


def _facts(step: MethodStep) -> Sequence[tuple[str, str]]:
    """Return the scalar notes of a method; nested ones are only in report.json."""
    return [
        (name.replace("_", " ").capitalize(), _written(value))
        for name, value in step.notes.items()
        if name != "seconds" and isinstance(value, bool | int | float | str)
    ]


def _written(value: bool | float | str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return thousands(value)
    return value if isinstance(value, str) else f"{value:.4g}"


@dataclass(frozen=True)
class RandomizedColumn:
    name: str
    level: str  # privacy of each cell
    shares: ChartTable
    matrix: ChartTable | None  # transition probabilities between values


def describe_randomized(report: Report) -> list[RandomizedColumn]:
    """Describe randomized columns: the privacy of each cell, and the estimated true shares."""
    return [
        _describe_randomized_column(name, cells, is_repeatable=report.randomness is not None)
        for step in report.steps
        if step.method in METHODS and METHODS[step.method].column_notes is RandomizedCells
        for name, cells in step.columns_as(RandomizedCells).items()
        if cells.has_estimates
    ]


def _describe_randomized_column(
    name: str, cells: RandomizedCells, *, is_repeatable: bool
) -> RandomizedColumn:
    epsilon, values = cells.epsilon, [value_words(value) for value in cells.values]
    without = "none, a seed was used" if is_repeatable else "none, some answers are certain"
    level = f"ε = {epsilon:.3g}" if epsilon is not None else without
    shares = zip(values, cells.estimated_shares, cells.standard_errors, strict=True)
    return RandomizedColumn(
        name,
        level,
        shares=ChartTable(
            ["Value", "Estimated true share", "Standard error"],
            [[value, percent(share), percent(error, 2)] for value, share, error in shares],
        ),
        matrix=_chances_table(values, cells.matrix) if cells.matrix else None,
    )


def _chances_table(values: list[str], matrix: Sequence[Sequence[float]]) -> ChartTable:
    return ChartTable(
        ["True value", *values],
        [
            [value, *(f"{chance:.3f}" for chance in row)]
            for value, row in zip(values, matrix, strict=True)
        ],
    )


@dataclass(frozen=True)
class ShownLabel:
    label: str
    records: int


@dataclass(frozen=True)
class ColumnLabels:
    """The labels of a column, `count` in all; `most` is the largest number of records of one."""

    name: str
    count: int
    most: int
    labels: list[ShownLabel]
    left_out: int


def describe_cuts(report: Report) -> list[ColumnLabels]:
    """Return the labels of columns with mixed levels, the most frequent first."""
    cuts = report.transformation.cuts or {}
    return [_describe_labels(name, labels) for name, labels in cuts.items()]


def _describe_labels(name: str, labels: Sequence[LabelCount]) -> ColumnLabels:
    ranked = sorted(labels, key=lambda entry: -entry.records)
    return ColumnLabels(
        name,
        count=len(ranked),
        most=max((entry.records for entry in ranked), default=0) or 1,
        labels=[ShownLabel(value_words(own.label), own.records) for own in ranked[:LABELS_SHOWN]],
        left_out=max(len(ranked) - LABELS_SHOWN, 0),
    )


def safe_harbor_findings(report: Report) -> tuple[SafeHarborFinding, ...]:
    return report.risk.safe_harbor or ()
