"""The rows of the page with the changes: words, signs, and sparklines of both tables."""

from collections.abc import Iterable
from dataclasses import dataclass

from deid_portal.datasets.dangers import DangerWord as Word
from deid_portal.datasets.models import ColumnRoleChoices, DatasetColumn
from deid_portal.datasets.roles import RoleChoice, find_role
from deid_portal.datasets.shapes import HEIGHT
from deid_portal.engine import ColumnType
from deid_portal.engine.evidence.drift import OTHERS, DriftVerdict
from deid_portal.engine.wording.numbers import percent
from deid_portal.engine.wording.words import counted
from deid_portal.versions.comparison import ColumnChange, Drift
from deid_portal.versions.selectors import UnplacedValues, order_changes

GONE = Word("Gone", "circle-minus", "warn")
NEW = Word("New", "circle-plus", "info")
RETYPED = Word("Other type", "alert-triangle", "warn")
VERDICTS = {
    DriftVerdict.SAME.value: Word("Same", "circle-check", "ok"),
    DriftVerdict.SHIFTED.value: Word("Shifted", "alert-triangle", "warn"),
    DriftVerdict.DIFFERENT.value: Word("Different", "alert-octagon", "bad"),
    DriftVerdict.NOT_COMPARED.value: Word("Not compared", "circle-dashed", "neutral"),
}
QUIET = (DriftVerdict.SAME.value, DriftVerdict.NOT_COMPARED.value)
WIDTH, GAP = 136, 1.5  # wide enough for pairs of bars


@dataclass(frozen=True)
class ChangeRow:
    """One column of the comparison, ready to be shown."""

    change: ColumnChange
    word: Word
    column: DatasetColumn | None  # in the new version; None if it is gone
    role: RoleChoice | None
    role_before: RoleChoice | None
    missing_before: float | None
    missing_after: float | None
    path_before: str
    path_after: str
    unplaced: UnplacedValues | None

    @property
    def is_quiet(self) -> bool:
        change = self.change
        is_here = not (change.is_gone or change.is_new or change.is_retyped)
        return is_here and change.verdict in QUIET and self.unplaced is None

    @property
    def evidence(self) -> list[str]:
        """Say what was found in the distribution, for viewers with row access."""
        change = self.change
        said = []
        if change.moved:
            said.append(f"{counted(change.moved, 'row holds', 'rows hold')} another value")
        if change.distance is not None and change.verdict not in QUIET:
            said.append(f"by {percent(change.distance)} of the rows")
            if change.shift and change.effect:
                sign = "+" if change.shift > 0 else "\u2212"
                said.append(
                    f"mean {sign}{_in_unit(abs(change.shift), change)}, "
                    f"{abs(change.effect):.2g} standard deviations"
                )
        return said

    @property
    def unseen(self) -> str:
        """Say which change the tests would not have found with so many rows; empty if unknown."""
        change = self.change
        if change.visible_from is None or change.verdict == DriftVerdict.NOT_COMPARED.value:
            return ""
        if change.visible_from >= 1:
            return "too few rows to see a change for sure"
        said = f"a change under {percent(change.visible_from)} may go unseen"
        if change.shift_unseen:
            said += (
                f", as may a mean that moves by less than {_in_unit(change.shift_unseen, change)}"
            )
        return said

    @property
    def matters(self) -> bool:
        """Whether the loss of the column changes what the plan protects."""
        return self.change.is_gone and self.change.role_before in (
            ColumnRoleChoices.QUASI_IDENTIFIER,
            ColumnRoleChoices.SENSITIVE,
        )


def draw_changes(
    drift: Drift, columns: Iterable[DatasetColumn], unplaced: list[UnplacedValues]
) -> list[ChangeRow]:
    """Describe every column, those that need attention first."""
    now = {column.name: column for column in columns}
    open_values = {one.column.name: one for one in unplaced}
    return [
        _describe(drift, change, now.get(change.name), open_values.get(change.name))
        for change in order_changes(drift.columns, set(open_values))
    ]


def _describe(
    drift: Drift,
    change: ColumnChange,
    column: DatasetColumn | None,
    unplaced: UnplacedValues | None,
) -> ChangeRow:
    before, after = _paths(change)
    return ChangeRow(
        change,
        _word(change),
        column,
        find_role(column.role) if column else None,
        find_role(change.role_before),
        _share(change.missing_before, drift.rows_before),
        _share(change.missing_after, drift.rows_after),
        before,
        after,
        unplaced,
    )


def _in_unit(number: float, change: ColumnChange) -> str:
    """Write an amount in the unit of its column; of dates in days."""
    text = f"{number:,.0f}" if number >= 1000 else f"{number:.2g}"
    return f"{text} days" if change.type_after == ColumnType.DATE.value else text


def _word(change: ColumnChange) -> Word:
    if change.is_gone:
        return GONE
    if change.is_new:
        return NEW
    return RETYPED if change.is_retyped else VERDICTS[change.verdict]


def _share(count: int | None, rows: int) -> float | None:
    return None if count is None else count / max(rows, 1)


def _paths(change: ColumnChange) -> tuple[str, str]:
    """Draw pairs of bars, before beside after, each table as shares of its own rows."""
    if change.verdict == DriftVerdict.NOT_COMPARED:
        return "", ""
    totals = [
        max(sum(before for _, before, _ in change.bars), 1),
        max(sum(after for _, _, after in change.bars), 1),
    ]
    # Without the bar of all rare words, which would hide the others.
    bars = [(before, after) for label, before, after in change.bars if label != OTHERS]
    shares = [(before / totals[0], after / totals[1]) for before, after in bars]
    tallest = max((max(pair) for pair in shares), default=0)
    if not tallest:
        return "", ""
    step = WIDTH / len(shares)
    width = round((step - GAP) / 2, 1)
    paths = ["", ""]
    for place, pair in enumerate(shares):
        for side, share in enumerate(pair):
            x = round(place * step + side * width, 1)
            height = round(max(HEIGHT * share / tallest, 1), 1) if share else 0
            paths[side] += f"M{x} {round(HEIGHT - height, 1)}h{width}v{height}h-{width}z"
    return paths[0], paths[1]
