"""The entries of questions, declared as data, from which parser and forms are derived."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

from deid_portal.engine.differential.selection.domains import (
    NumberDomain,
    ValuesDomain,
    plain_number,
)
from deid_portal.engine.differential.setting import PrivacySetting
from deid_portal.engine.documents import Place


@dataclass(frozen=True, kw_only=True)
class Field:
    """One entry of a question. `kind` says what a form must offer for it."""

    name: str
    label: str
    required: bool = True
    help: str = ""

    kind: ClassVar[str]

    def read(self, place: Place, setting: PrivacySetting) -> Any:
        """Return the entry of a question standing at `place`, None where it is absent."""
        if self.name not in place:
            if self.required:
                place.refuse(f'"{self.name}" is missing; it is required here.')
            return self.absent()
        return self.accept(place[self.name], setting)

    def absent(self) -> Any:
        return None

    def accept(self, here: Place, setting: PrivacySetting) -> Any:
        raise NotImplementedError

    def columns_in(self, value: Any) -> Iterable[str]:
        """Return the columns an entry names."""
        return ()


@dataclass(frozen=True, kw_only=True)
class NumberColumn(Field):
    """A column with declared bounds."""

    name: str = "column"
    label: str = "Column"
    kind: ClassVar[str] = "number-column"

    def accept(self, here: Place, setting: PrivacySetting) -> str:
        setting.number_domain(here)
        return here.text()

    def columns_in(self, value: Any) -> Iterable[str]:
        return (value,)


@dataclass(frozen=True, kw_only=True)
class DateColumn(Field):
    """A column with a declared period."""

    name: str = "column"
    label: str = "Column"
    kind: ClassVar[str] = "date-column"

    def accept(self, here: Place, setting: PrivacySetting) -> str:
        setting.date_domain(here)
        return here.text()

    def columns_in(self, value: Any) -> Iterable[str]:
        return (value,)


@dataclass(frozen=True, kw_only=True)
class ValuesColumn(Field):
    """A column with declared values."""

    name: str = "column"
    label: str = "Column"
    kind: ClassVar[str] = "values-column"

    def accept(self, here: Place, setting: PrivacySetting) -> str:
        setting.values_domain(here)
        return here.text()

    def columns_in(self, value: Any) -> Iterable[str]:
        return (value,)


@dataclass(frozen=True, kw_only=True)
class ColumnList(Field):
    """Different columns with declared values, or with bounds, or with either."""

    kind: ClassVar[str] = "columns"
    holds: tuple[type[NumberDomain] | type[ValuesDomain], ...] = (ValuesDomain,)
    most: int = 20

    def accept(self, here: Place, setting: PrivacySetting) -> tuple[str, ...]:
        items = here.items()
        names = tuple(item.text() for item in items)
        if not names or len(set(names)) != len(names) or len(names) > self.most:
            here.refuse(f"a list of 1 to {self.most} different column names is accepted.")
        for item in items:
            self._check(item, setting)
        return names

    def columns_in(self, value: Any) -> Iterable[str]:
        return tuple(value)

    def _check(self, item: Place, setting: PrivacySetting) -> None:
        if self.holds == (ValuesDomain,):
            setting.values_domain(item)
        elif self.holds == (NumberDomain,):
            setting.number_domain(item)
        elif not isinstance(setting.domain(item), self.holds):
            item.refuse("this column has neither bounds nor a list of values.")


@dataclass(frozen=True, kw_only=True)
class OneOf(Field):
    """One of several words; by default the first."""

    kind: ClassVar[str] = "choice"
    choices: Sequence[str] = ()
    labels: Sequence[str] = ()
    required: bool = False

    def absent(self) -> str:
        return self.choices[0]

    def accept(self, here: Place, setting: PrivacySetting) -> str:
        return here.choice(self.choices)


@dataclass(frozen=True, kw_only=True)
class NumberField(Field):
    """A number in a range."""

    kind: ClassVar[str] = "number"
    minimum: float = float("-inf")
    maximum: float = float("inf")
    whole: bool = False
    default: float | None = None
    required: bool = False
    is_row_count: bool = False  # about how many rows fit, as forms ask for any accuracy

    def absent(self) -> Any:
        return self.default

    def accept(self, here: Place, setting: PrivacySetting) -> Any:
        number = here.integer() if self.whole else float(here.number())
        if not self.minimum <= number <= self.maximum:
            kind = "whole number" if self.whole else "number"
            here.refuse(
                f"a {kind} from {plain_number(self.minimum)} to {plain_number(self.maximum)} is "
                f"accepted."
            )
        return number


@dataclass(frozen=True, kw_only=True)
class NumberList(Field):
    """Ascending numbers in a range."""

    kind: ClassVar[str] = "numbers"
    minimum: float = float("-inf")
    maximum: float = float("inf")
    fewest: int = 1
    most: int = 1000

    def accept(self, here: Place, setting: PrivacySetting) -> tuple[float, ...]:
        items = here.items()
        if not self.fewest <= len(items) <= self.most:
            here.refuse(f"a list of {self.fewest} to {self.most} numbers is accepted.")
        numbers = tuple(float(item.number()) for item in items)
        if any(low >= high for low, high in pairwise(numbers)):
            here.refuse("numbers that grow from one to the next are accepted.")
        if numbers[0] < self.minimum or numbers[-1] > self.maximum:
            here.refuse(f"numbers from {self.minimum:g} to {self.maximum:g} are accepted.")
        return numbers


@dataclass(frozen=True, kw_only=True)
class DeclaredValue(Field):
    """One of the values declared for the column that another entry names."""

    kind: ClassVar[str] = "value"
    of: str = "column"

    def read(self, place: Place, setting: PrivacySetting) -> Any:
        found = super().read(place, setting)
        if found not in setting.values_domain(place[self.of]).values:
            place[self.name].refuse("this value is not declared for the column.")
        return found

    def accept(self, here: Place, setting: PrivacySetting) -> str:
        return here.text()
