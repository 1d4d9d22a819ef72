"""How dangerous a column is, in the words, signs and order of the tagging page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from deid_portal.datasets.models import DatasetColumn
from deid_portal.datasets.roles import RoleChoice, find_role
from deid_portal.engine.detection import Danger


@dataclass(frozen=True)
class DangerWord:
    label: str
    icon: str
    tone: str


DANGERS = {
    Danger.VERY_HIGH.value: DangerWord("Very high", "alert-octagon", "bad"),
    Danger.HIGH.value: DangerWord("High", "alert-triangle", "bad"),
    Danger.SOME.value: DangerWord("Some", "alert-triangle", "warn"),
    Danger.HARM.value: DangerWord("Harm", "lock", "neutral"),
    Danger.LOW.value: DangerWord("Low", "circle", "neutral"),
}
ORDER = {value: place for place, value in enumerate(DANGERS)}


@dataclass(frozen=True)
class Advice:
    """What the engine suggests for one column, ready to be shown; without a role it says why."""

    role: RoleChoice | None
    danger: DangerWord
    reason: str

    @property
    def lead(self) -> str:
        return self.role.label if self.role else "Free text: you decide"


def advice_of(column: DatasetColumn) -> Advice | None:
    """Return the suggestion; columns read by early versions have none."""
    role = find_role(column.suggestion.get("role") or "")
    danger = DANGERS.get(column.suggestion.get("danger", ""))
    if danger is None or (role is None and not column.is_free_text):
        return None
    return Advice(role, danger, column.suggestion.get("reason", ""))


def danger_order(column: DatasetColumn) -> tuple[int, int]:
    """Sort the most dangerous columns first, equals in the order of the file."""
    return ORDER.get(column.suggestion.get("danger", ""), len(ORDER)), column.position


def is_dangerous(column: DatasetColumn) -> bool:
    return column.suggestion.get("danger") in (Danger.VERY_HIGH, Danger.HIGH)


@dataclass(frozen=True)
class IsolatingColumns:
    """Columns that isolate people together."""

    names: list[str]
    alone: int
    share: float
    is_sample: bool


def combination_of(
    column: DatasetColumn,
    names: dict[int, str],
    rows: int,
    *,
    size: str = "worst",
    with_itself: bool = False,
) -> IsolatingColumns | None:
    """Return the worst combination ("worst") or pair ("pair") a column takes part in."""
    worst: dict[str, Any] = column.suggestion.get(size) or {}
    if not worst.get("alone"):
        return None
    places = [place for place in worst["places"] if with_itself or place != column.position]
    return IsolatingColumns(
        [names.get(place, "") for place in places],
        worst["alone"],
        worst["alone"] / worst["rows"],
        worst["rows"] != rows,
    )


def worst_combination(
    columns: Sequence[DatasetColumn], rows: int, size: str
) -> IsolatingColumns | None:
    """Return the combination or pair of the whole dataset that isolates most people."""
    names = {column.position: column.name for column in columns}
    found = [combination_of(one, names, rows, size=size, with_itself=True) for one in columns]
    return max((one for one in found if one), key=lambda one: one.alone, default=None)
