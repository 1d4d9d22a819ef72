"""Parameters declared as data, each value answered three ways: fine, unusual, refused."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from deid_portal.engine.documents import Place

ROUNDING = 1e-9  # what rounding may make of chances that sum to one


@dataclass(frozen=True)
class Parameter:
    """A number a person may choose.

    Outside `minimum`..`maximum` it is refused. Under `unusual_below` or over `unusual_above` it is
    accepted with `caution`, a sentence with room for the value: "k = {value} protects little."
    """

    name: str
    minimum: float
    maximum: float = float("inf")
    whole: bool = False
    default: float | None = None
    unusual_below: float = float("-inf")
    unusual_above: float = float("inf")
    caution: str = ""
    optional: bool = False  # absent without a default is None
    note: str = ""  # what else a person should know who fills it in
    start: float | None = None  # what a form begins with, if not the default
    # More of it makes an answer surer, nothing else: an attack tried on more people, for example.
    is_effort: bool = False

    def read(self, place: Place) -> Any:
        """Return the value standing in a document, or the default where it is absent."""
        if self.name not in place and (self.optional or self.default is not None):
            return self.default
        here = place[self.name]
        if self.name not in place:
            here.refuse(f"this is required: {self.range_words()}.")
        number = here.integer() if self.whole else float(here.number())
        if not self.minimum <= number <= self.maximum:
            here.refuse(f"{self.range_words()} is accepted, got {number}.")
        return number

    def caution_for(self, value: float | None) -> str:
        """Return the sentence a person should see before going on, or nothing."""
        if value is None or self.unusual_below <= value <= self.unusual_above:
            return ""
        return self.caution.format(value=value)

    def range_words(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        if self.maximum == float("inf"):
            return f"{kind} of {self.minimum:g} or more"
        return f"{kind} from {self.minimum:g} to {self.maximum:g}"


def number_of_look_alikes(
    name: str = "k",
    *,
    minimum: float = 2,
    default: float | None = None,
    unusual_below: float = 3,
    unusual_above: float = 1000,
    left: str = "detail",
    optional: bool = False,
) -> Parameter:
    """Declare among how many people everybody hides; `left` is what many of them cost."""
    little = "2 protects little, " if unusual_below > minimum else ""
    return Parameter(
        name,
        minimum=minimum,
        whole=True,
        default=default,
        unusual_below=unusual_below,
        unusual_above=unusual_above,
        caution=f"{name} = {{value}} is unusual: {little}above {unusual_above:,} little {left} is "
        "left.",
        optional=optional,
        start=5 if default is None else None,
    )


@dataclass(frozen=True)
class Choice:
    """One word out of several; the first is the default unless it is required."""

    name: str
    choices: Sequence[str]
    not_yet: Sequence[str] = ()
    required: bool = False

    def read(self, place: Place) -> str:
        if self.name not in place and not self.required:
            return self.choices[0]
        here = place[self.name]
        if here.value in self.not_yet:
            here.refuse(
                f'"{here.value}" is not available yet; available: {", ".join(self.choices)}.'
            )
        return here.choice(self.choices)

    def caution_for(self, value: str) -> str:
        return ""


@dataclass(frozen=True)
class ColumnName:
    """The name of a column of the plan."""

    name: str = "column"
    optional: bool = False  # absent is None

    def read(self, place: Place) -> str | None:
        if self.name not in place:
            if self.optional:
                return None
            place[self.name].refuse("this is required: the name of a sensitive column.")
        return place[self.name].text()

    def caution_for(self, value: str | None) -> str:
        return ""


@dataclass(frozen=True)
class Flag:
    """Yes or no; no unless said."""

    name: str

    def read(self, place: Place) -> bool:
        if self.name not in place:
            return False
        here = place[self.name]
        if not isinstance(here.value, bool):
            here.refuse("true or false is accepted.")
        return here.value

    def caution_for(self, value: bool) -> str:
        return ""


@dataclass(frozen=True)
class ColumnNames:
    """Names of one or more columns of the plan."""

    name: str
    optional: bool = False  # absent is None

    def read(self, place: Place) -> tuple[str, ...] | None:
        if self.name not in place and self.optional:
            return None
        here = place[self.name]
        names = tuple(item.text() for item in here.items())
        if not names or len(set(names)) != len(names):
            here.refuse("a list of one or more different column names is accepted.")
        return names

    def caution_for(self, value: tuple[str, ...] | None) -> str:
        return ""


@dataclass(frozen=True)
class ColumnGroups:
    """Columns in groups, none of them twice: [[column, …], …]; absent is None."""

    name: str

    def read(self, place: Place) -> tuple[tuple[str, ...], ...] | None:
        if self.name not in place:
            return None
        here = place[self.name]
        groups = tuple(tuple(item.text() for item in group.items()) for group in here.items())
        names = [name for group in groups for name in group]
        if not all(groups) or not names or len(set(names)) != len(names):
            here.refuse("a list of groups of column names is accepted, no column twice.")
        return groups

    def caution_for(self, value: tuple[tuple[str, ...], ...] | None) -> str:
        return ""


@dataclass(frozen=True)
class Values:
    """Values of a column, null for the gap; absent is None and means all."""

    name: str = "values"

    def read(self, place: Place) -> tuple[str | None, ...] | None:
        return read_values(place[self.name]) if self.name in place else None

    def caution_for(self, value: tuple[str | None, ...] | None) -> str:
        return ""


@dataclass(frozen=True)
class ValuesByColumn:
    """Values of several columns: {column: [value, …]}, null instead of a list for all of them."""

    name: str = "values"

    def read(self, place: Place) -> dict[str, tuple[str | None, ...] | None] | None:
        if self.name not in place:
            return None
        here = place[self.name]
        here.check_object()
        if not here.value:
            here.refuse("at least one column is needed.")
        return {
            name: None if entry.value is None else read_values(entry)
            for name, entry in here.entries()
        }

    def caution_for(self, value: dict[str, tuple[str | None, ...] | None] | None) -> str:
        return ""


@dataclass(frozen=True)
class Value:
    """One value of a column; absent is None."""

    name: str

    def read(self, place: Place) -> str | None:
        return place[self.name].text() if self.name in place else None

    def caution_for(self, value: str | None) -> str:
        return ""


@dataclass(frozen=True)
class LevelsByColumn:
    """A level of detail for some columns: {column: level}; a column not named stays exact.

    The columns are quasi-identifiers or, with `of_sensitive`, sensitive ones.
    """

    name: str = "levels"
    of_sensitive: bool = False

    def read(self, place: Place) -> dict[str, int]:
        if self.name not in place:
            return {}
        levels = {name: entry.integer() for name, entry in place[self.name].entries()}
        for name, level in levels.items():
            if level < 0:
                place[self.name][name].refuse("a level of 0 or more is accepted.")
        return levels

    def caution_for(self, value: dict[str, int]) -> str:
        return ""


@dataclass(frozen=True)
class RangesByColumn:
    """Numbers a column may hold: {column: [lowest, highest, step]}."""

    name: str = "ranges"

    def read(self, place: Place) -> dict[str, tuple[float, float, float]] | None:
        if self.name not in place:
            return None
        return {name: _read_range(entry) for name, entry in place[self.name].entries()}

    def caution_for(self, value: dict[str, tuple[float, float, float]] | None) -> str:
        return ""


def _read_range(place: Place) -> tuple[float, float, float]:
    numbers = [float(item.number()) for item in place.items()]
    if len(numbers) != 3 or numbers[0] >= numbers[1] or numbers[2] <= 0:
        place.refuse("the lowest number, a higher one and a step above 0 are needed.")
    return (numbers[0], numbers[1], numbers[2])


class ChancesOfValues(TypedDict):
    """Row i: the chances of what is shown where values[i] is true."""

    values: tuple[str | None, ...]
    rows: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class TransitionMatrices:
    """A matrix per column: {column: {"values": [value, …], "rows": [[chance, …], …]}}."""

    name: str = "matrix"

    def read(self, place: Place) -> dict[str, ChancesOfValues] | None:
        if self.name not in place:
            return None
        return {name: _read_chances(entry) for name, entry in place[self.name].entries()}

    def caution_for(self, value: dict[str, ChancesOfValues] | None) -> str:
        return ""


def _read_chances(place: Place) -> ChancesOfValues:
    place.check_keys(required=("values", "rows"))
    values = read_values(place["values"])
    rows = place["rows"].items()
    if len(rows) != len(values):
        place["rows"].refuse(f"as many rows as values are needed, {len(values)}.")
    return {"values": values, "rows": tuple(_read_chances_row(row, len(values)) for row in rows)}


def _read_chances_row(place: Place, length: int) -> tuple[float, ...]:
    chances = tuple(float(item.number()) for item in place.items())
    if len(chances) != length:
        place.refuse(f"a chance for every value is needed, {length}.")
    if min(chances) < 0 or abs(sum(chances) - 1) > ROUNDING:
        place.refuse("chances of 0 or more that sum to 1 are needed.")
    return chances


@dataclass(frozen=True)
class FileName:
    """The name of a file the plan refers to."""

    name: str

    def read(self, place: Place) -> str:
        if self.name not in place:
            place[self.name].refuse("this is required: the name of a file.")
        return place[self.name].text()

    def caution_for(self, value: str) -> str:
        return ""


# Cells by column: where the first stand, the others stand too. None is the gap.
AssociationRule = TypedDict(
    "AssociationRule", {"if": dict[str, str | None], "then": dict[str, str | None]}
)


@dataclass(frozen=True)
class AssociationRules:
    """Rules "if these cells, then those": [{"if": {column: value}, "then": {column: value}}]."""

    name: str

    def read(self, place: Place) -> tuple[AssociationRule, ...]:
        here = place[self.name]
        rules = tuple(_read_rule(item) for item in here.items())
        if not rules:
            here.refuse("a list of one or more rules is accepted.")
        return rules

    def caution_for(self, value: tuple[AssociationRule, ...]) -> str:
        return ""


def _read_rule(place: Place) -> AssociationRule:
    place.check_keys(required=("if", "then"))
    first, then = (
        {name: None if cell.value is None else cell.text() for name, cell in place[key].entries()}
        for key in ("if", "then")
    )
    if not first or not then or set(first) & set(then):
        place.refuse("different columns are needed on both sides, at least one each.")
    return {"if": first, "then": then}


def read_values(here: Place) -> tuple[str | None, ...]:
    """Return a list of different texts, null for the gap."""
    values = tuple(None if item.value is None else item.text() for item in here.items())
    if not values or len(set(values)) != len(values):
        here.refuse("a list of one or more different values is accepted, null for a gap.")
    return values


Declared = (
    Parameter
    | Choice
    | ColumnName
    | Flag
    | ColumnNames
    | ColumnGroups
    | Values
    | ValuesByColumn
    | Value
    | LevelsByColumn
    | RangesByColumn
    | TransitionMatrices
    | FileName
    | AssociationRules
)


def columns_named(declared: Iterable[Declared], document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the columns that a model or method names in its document, as its parameters say."""
    for parameter in declared:
        own = document.get(parameter.name)
        if own is not None:
            yield from _columns_in(parameter, own)


def _columns_in(parameter: Declared, own: Any) -> Iterable[str]:
    match parameter:
        case ColumnName():
            return [own]
        case ColumnNames():
            return list(own)
        case ColumnGroups():
            return [name for group in own for name in group]
        case ValuesByColumn() | LevelsByColumn() | RangesByColumn() | TransitionMatrices():
            return list(own)
        case AssociationRules():
            return [name for rule in own for name in (*rule["if"], *rule["then"])]
        case _:
            return []
