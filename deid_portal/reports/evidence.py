"""The parts of a report beyond risk and loss: lists and sentences about the evidence.

Each returns None or an empty list where the report has nothing to say, so that reports made before
a measure existed still open.
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
    """Why no classifier could learn, where one was asked for and could not."""
    answers = (report.comparison.classifiers if report.comparison else None) or ()
    return next((own.problem for own in answers if isinstance(own, ClassifierProblem)), "")


@dataclass(frozen=True)
class AttackLine:
    """What an attack got and would get without the release (`control`), or why it was not made."""

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
    """One line per attack that was run: what it got, with its interval, or why it could not."""
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
    slug: str  # of its page in the help
    facts: list[tuple[str, str]]


def describe_steps(report: Report) -> list[StepLine]:
    """What each method of a plan did, in the order of the plan.

    Levels alone are told by the table of columns already.
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
    """The plain numbers and words of a step; what is nested stands in report.json."""
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
    level: str  # of privacy of each cell
    shares: ChartTable
    matrix: ChartTable | None  # the chances by which a value became another


def describe_randomized(report: Report) -> list[RandomizedColumn]:
    """Columns with randomized cells: how private each cell is, and the shares behind the noise."""
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
    """The labels a column shows, `count` in all; `most` is the largest number of records."""

    name: str
    count: int
    most: int
    labels: list[ShownLabel]
    left_out: int


def describe_cuts(report: Report) -> list[ColumnLabels]:
    """Per column, the labels in use where levels are mixed, those with most people first."""
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
