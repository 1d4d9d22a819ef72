"""Whom a question is about. A condition never changes the price: rows it leaves out add nothing."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.differential.selection.domains import (
    DateDomain,
    NumberDomain,
    ValuesDomain,
    domain_values_words,
)
from deid_portal.engine.differential.setting import PrivacySetting
from deid_portal.engine.documents import Place, plain_value
from deid_portal.engine.parameters import read_values
from deid_portal.engine.table.table import Column

Mask = NDArray[np.bool_]
TESTS = ("is", "is_not", "at_least", "at_most", "between", "missing")
MOST_CONDITIONS = 50


@dataclass(frozen=True)
class Condition:
    """One test of one column; `operand` is as the document has it, tuples for lists."""

    column: str
    test: str
    operand: Any

    @classmethod
    def parse(cls, place: Place, setting: PrivacySetting) -> "Condition":
        place.check_keys(required=("column",), optional=TESTS)
        tests = [test for test in TESTS if test in place]
        if len(tests) != 1:
            place.refuse(f"exactly one of {', '.join(TESTS)} is needed beside the column.")
        return cls(place["column"].text(), tests[0], _read_operand(place, tests[0], setting))

    def to_document(self) -> dict[str, Any]:
        return {"column": self.column, self.test: plain_value(self.operand)}

    def holds(self, column: Column, setting: PrivacySetting) -> Mask:
        """Say for each row whether it passes."""
        domain = setting.domains[self.column]
        if isinstance(domain, ValuesDomain):
            return self._holds_for_values(column, domain)
        return self._holds_for_numbers(domain.numbers_of(column), domain)

    def words(self) -> str:
        match self.test:
            case "is":
                return f"{self.column} is {domain_values_words(self.operand)}"
            case "is_not":
                return f"{self.column} is not {domain_values_words(self.operand)}"
            case "at_least":
                least = "on or after" if isinstance(self.operand, str) else "at least"
                return f"{self.column} is {least} {self.operand}"
            case "at_most":
                most = "on or before" if isinstance(self.operand, str) else "at most"
                return f"{self.column} is {most} {self.operand}"
            case "between":
                return f"{self.column} is from {self.operand[0]} to {self.operand[1]}"
            case _:
                return f"{self.column} is {'missing' if self.operand else 'not missing'}"

    def _holds_for_values(self, column: Column, domain: ValuesDomain) -> Mask:
        if self.test == "missing":
            passes = [(text is None) == self.operand for text in column.values] or [False]
            return np.asarray(np.array(passes)[column.codes])
        wanted = np.array(
            [(value in self.operand) == (self.test == "is") for value in domain.values]
        )
        places = domain.places_of(column)
        return np.asarray((places >= 0) & wanted[places])

    def _holds_for_numbers(
        self, numbers: NDArray[np.float64], domain: NumberDomain | DateDomain
    ) -> Mask:
        # A comparison with NaN is false, so a gap passes none but the last.
        match self.test:
            case "at_least":
                return np.asarray(numbers >= domain.number_of(self.operand))
            case "at_most":
                return np.asarray(numbers <= domain.number_of(self.operand))
            case "between":
                low, high = map(domain.number_of, self.operand)
                return np.asarray((numbers >= low) & (numbers <= high))
            case _:
                return np.asarray(np.isnan(numbers) == self.operand)


def parse_conditions(place: Place, setting: PrivacySetting) -> tuple[Condition, ...]:
    """Read a list of conditions that must all hold, in canonical order."""
    if place.value is None:
        return ()
    items = place.items()
    if len(items) > MOST_CONDITIONS:
        place.refuse(f"at most {MOST_CONDITIONS} conditions are accepted.")
    conditions = {Condition.parse(item, setting) for item in items}
    return tuple(sorted(conditions, key=lambda one: (one.column, one.test, repr(one.operand))))


def _read_operand(place: Place, test: str, setting: PrivacySetting) -> Any:
    here = place[test]
    if test == "missing":
        setting.domain(place["column"])
        if not isinstance(here.value, bool):
            here.refuse("true or false is accepted.")
        return here.value
    if test in ("is", "is_not"):
        return _read_declared(here, setting.values_domain(place["column"]))
    domain = setting.ordered_domain(place["column"])
    if test != "between":
        return domain.read_operand(here)
    items = here.items()
    if len(items) != 2:
        here.refuse("the lowest and the highest are needed.")
    low, high = (domain.read_operand(item) for item in items)
    if domain.number_of(low) > domain.number_of(high):
        here.refuse("the lowest must not be above the highest.")
    return (low, high)


def _read_declared(place: Place, domain: ValuesDomain) -> tuple[str | None, ...]:
    values = read_values(place)
    strangers = sum(value not in domain.values for value in values)
    if strangers:
        place.refuse(f"{strangers} of these values are not declared for the column.")
    return tuple(value for value in domain.values if value in values)
