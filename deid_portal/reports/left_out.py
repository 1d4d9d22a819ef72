"""Suppressed records: which generalizations would release them, which columns isolate them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from deid_portal.engine.charts.bins import bin_label
from deid_portal.engine.report import Report
from deid_portal.engine.report.left_out import ApartColumn, CoarserStep, GroupsApart
from deid_portal.engine.wording.numbers import thousands
from deid_portal.engine.wording.words import counted, people
from deid_portal.plans.changes import SetLevel, write_changes

FOR_STEWARDS = "Why, and what would bring them back, is told to stewards only."
STEPS_ON_SUMMARY = 6


@dataclass(frozen=True)
class ColumnStep:
    """The effect of generalizing one column by one more level."""

    column: str
    level: str
    freed: int
    suppressed: int
    loss: float
    more_loss: float
    holds: bool
    change: str  # what "Try this change" sends
    is_cheapest: bool = False


@dataclass(frozen=True)
class LeftOutView:
    title: str
    caption: str
    left_out: int
    steps: list[ColumnStep]
    note: str = ""

    @property
    def cheapest(self) -> ColumnStep | None:
        return next((step for step in self.steps if step.is_cheapest), None)

    @property
    def first_steps(self) -> list[ColumnStep]:
        return self.steps[:STEPS_ON_SUMMARY]


def describe_left_out(report: Report) -> LeftOutView:
    left_out = report.rows.suppressed
    if not left_out:
        return LeftOutView(
            "Nobody was left out", "Every row of the table is in the release.", 0, []
        )
    steps = _steps(report)
    cheapest = next((step for step in steps if step.is_cheapest), None)
    title = (
        f"Coarser {cheapest.column} would bring {people(cheapest.freed)} back "
        f"for {cheapest.more_loss:.2f} more loss"
        if cheapest is not None
        else f"{people(left_out)} {'was' if left_out == 1 else 'were'} left out"
    )
    caption = f"Why {counted(left_out, 'row')} {'was' if left_out == 1 else 'were'} left out"
    if steps:
        caption += ": one step coarser in this column alone frees …"
    if report.risk.before is None:  # the viewer has no row access
        return LeftOutView(title, FOR_STEWARDS, left_out, steps, "")
    note = _note(report, left_out, bool(steps))
    return LeftOutView(title, caption, left_out, steps, note)


def _steps(report: Report) -> list[ColumnStep]:
    found = [
        ColumnStep(
            column=step.column,
            level=step.level_name or f"level {step.level}",
            freed=step.freed,
            suppressed=step.suppressed,
            loss=step.loss,
            more_loss=_more_loss(report, step),
            holds=step.holds,
            change=write_changes(SetLevel(step.column, step.level)),
        )
        for step in report.coarser or ()
    ]
    useful = [step for step in found if step.holds]
    ranked = sorted(useful, key=lambda step: (step.freed <= 0, step.loss, -step.freed))
    if not ranked or ranked[0].freed <= 0:
        return ranked
    return [replace(ranked[0], is_cheapest=True), *ranked[1:]]


def _note(report: Report, left_out: int, has_steps: bool) -> str:
    alone = sum(own.left_out for own in report.isolation or () if own.to == 1)
    if alone:
        if alone == left_out:
            return "All of them were alone in their group"
        return f"{thousands(alone)} of them {'was' if alone == 1 else 'were'} alone in their group"
    if not has_steps:
        return "Levels are mixed here, so no single step tells what would change."
    return ""


@dataclass(frozen=True)
class SeparatingColumns:
    """The columns that separate the groups of one size from others."""

    title: str
    sentence: str
    columns: list[ApartColumn]
    has_steps: bool
    left_out: int


def describe_apart(report: Report, size: str) -> SeparatingColumns | None:
    """Return the columns that isolate groups of a size range, given by its lower end, or None."""
    own = next((own for own in report.isolation or () if str(own.from_) == size), None)
    if own is None:
        return None
    columns = [entry for entry in own.columns if entry.grows_hidden]
    return SeparatingColumns(
        title=_apart_title(own, columns),
        sentence=_apart_sentence(report, own, columns),
        columns=columns,
        has_steps=report.coarser is not None,
        left_out=own.left_out,
    )


def _apart_title(own: GroupsApart, columns: Sequence[ApartColumn]) -> str:
    who = "People who stand alone" if own.to == 1 else f"Groups of {bin_label(own)}"
    if not columns:
        return f"{who}: no single column keeps them apart"
    first = columns[0]
    if own.left_out and first.frees_hidden:
        return f"{who}: {first.column} isolates most of them"
    return f"{who}: {first.column} keeps most of them apart"


def _apart_sentence(report: Report, own: GroupsApart, columns: Sequence[ApartColumn]) -> str:
    said = f"{counted(own.classes, 'group')}, {people(own.records)}"
    if own.left_out:
        said += f", {thousands(own.left_out)} of them left out"
    cheapest = _cheapest_for(report, columns)
    if not own.left_out:
        return f"{said}. They meet the rules; these columns keep them from joining others."
    if cheapest is None:
        return f"{said}. No single step in one column frees any of them."
    frees = next(entry.frees for entry in columns if entry.column == cheapest.column)
    return (
        f"{said}. The cheapest single change that frees some of them: {cheapest.column} one "
        f"step coarser frees {thousands(frees)}, for {_more_loss(report, cheapest):.2f} more loss."
    )


def _cheapest_for(report: Report, columns: Sequence[ApartColumn]) -> CoarserStep | None:
    freeing = {entry.column for entry in columns if entry.frees}
    steps = [step for step in report.coarser or () if step.column in freeing and step.holds]
    return min(steps, key=lambda step: step.loss, default=None)


def _more_loss(report: Report, step: CoarserStep) -> float:
    """Return the additional loss of a step; reports of earlier versions have only the total."""
    if step.more_loss is not None:
        return step.more_loss
    return step.loss - report.utility.known_loss
