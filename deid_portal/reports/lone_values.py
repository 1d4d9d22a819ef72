"""Values that one released record alone shows: a way to be found that look-alikes do not close."""

from dataclasses import dataclass

from deid_portal.engine.report import Report
from deid_portal.engine.report.sensitive import SensitiveRisk
from deid_portal.engine.wording.numbers import middle_cut, percent, thousands

FEW = 0.01  # up to this share of the records it is a matter of a few far ends


@dataclass(frozen=True)
class LoneValueRow:
    """One sensitive column; `before` is "" for viewers without row access."""

    column: str
    before: str
    after: str
    share: str


@dataclass(frozen=True)
class LoneValues:
    title: str
    advice: str
    rows: list[LoneValueRow]


def describe_lone_values(report: Report) -> LoneValues | None:
    """Return how many records show a sensitive value nobody else has; None if it is not known."""
    told = {
        name: own for name, own in (report.sensitive or {}).items() if own.lone_values is not None
    }
    if not told:
        return None
    name, worst = max(told.items(), key=lambda entry: _share(entry[1]))
    share = _share(worst)
    return LoneValues(
        title=_title(name, worst),
        advice=""
        if share <= FEW
        else "Show such a column rounded or in groups: the protection page offers both.",
        rows=[_row(name, own) for name, own in told.items()],
    )


def _share(own: SensitiveRisk) -> float:
    return (own.lone_values or 0) / own.values if own.values else 0.0


def _title(name: str, worst: SensitiveRisk) -> str:
    short = middle_cut(name, 40)
    if not worst.lone_values:
        return "No sensitive value is shown by one person alone"
    if worst.lone_values == 1:
        return f"One person shows a value of {short} that nobody else has"
    return f"{thousands(worst.lone_values)} people show a value of {short} that nobody else has"


def _row(name: str, own: SensitiveRisk) -> LoneValueRow:
    before = own.lone_values_before
    return LoneValueRow(
        column=name,
        before="" if before is None else thousands(before),
        after=thousands(own.lone_values),
        share=percent(_share(own)),
    )
