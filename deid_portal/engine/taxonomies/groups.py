"""Grouping the values of a column: by rules, by frequency, by their order.

The groups depend on the rows of this table, so they are stored as a tree, not as a recipe.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase

import numpy as np

from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.table.table import Column
from deid_portal.engine.table.values import (
    ColumnType,
    find_date_format,
    is_number,
    parse_date,
    parse_number,
)
from deid_portal.engine.taxonomies.intervals import name_interval
from deid_portal.engine.taxonomies.outline import Outline
from deid_portal.engine.taxonomies.taxonomy import ROOT_LABEL

STARTS, LIKE, IS, REST = "starts with", "like", "is", "rest"
ORDERS = ("name", "rows")
BETWEEN = " … "


@dataclass(frozen=True)
class GroupingRule:
    """Which values go into a group; `groups` names it and those above it, the outermost first."""

    groups: tuple[str, ...]
    how: str  # starts with, like, is or rest
    texts: tuple[str, ...] = ()

    def takes(self, value: str) -> bool:
        if self.how == STARTS:
            return value.startswith(self.texts)
        if self.how == LIKE:
            return any(fnmatchcase(value, text) for text in self.texts)
        return self.how == REST or value in self.texts


def parse_rules(text: str) -> tuple[GroupingRule, ...]:
    """Read one rule per line, `Europe > North = starts with 1, 2`; errors name line numbers."""
    rules = [
        _parse_rule(number, line)
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip()
    ]
    if not rules:
        raise InvalidPlan("Type one rule per line, like: North = starts with 1, 2.")
    return tuple(rules)


def group_by_rules(column: Column, rules: Sequence[GroupingRule]) -> Outline:
    """Give each value to the first rule that takes it; a value no rule takes has no place."""
    tallest = max(len(rule.groups) for rule in rules)
    covered: dict[str, tuple[str | None, ...]] = {}
    for value in _values(column):
        rule = next((rule for rule in rules if rule.takes(value)), None)
        if rule is not None:
            # A rule with fewer groups than others: the value stays exact on the levels below.
            padding = (value,) * (tallest - len(rule.groups))
            covered[value] = (*padding, *reversed(rule.groups), ROOT_LABEL)
    outline = Outline.from_covered(covered, column)
    outline.check()
    return outline


def group_rare(column: Column, least: int, name: str) -> Outline:
    """Join the values with fewer than `least` rows; the others stay themselves."""
    counts = dict(zip(column.values, column.counts.tolist(), strict=True))
    if name in counts:
        raise InvalidPlan("A value of the column has this name already. Give the group another.")
    return Outline.from_covered(
        {
            value: (value if counts[value] >= least else name, ROOT_LABEL)
            for value in _values(column)
        },
        column,
    )


def group_neighbours(
    column: Column, order: str, size: int, widen: Sequence[int], typed: Sequence[str] = ()
) -> Outline:
    """Put the values into an order and join neighbours, `size` at first, then groups of groups."""
    values = _in_order(column, order, typed)
    covered: dict[str, tuple[str | None, ...]] = dict.fromkeys(values, ())
    step = size
    for factor in (1, *widen):
        step *= factor
        for start in range(0, len(values), step):
            run = values[start : start + step]
            label = f"{run[0]}{BETWEEN}{run[-1]}" if len(run) > 1 else run[0]
            for value in run:
                covered[value] = (*covered[value], label)
    return Outline.from_covered(
        {value: (*path, ROOT_LABEL) for value, path in covered.items()}, column
    )


def group_by_quantiles(column: Column, groups: int, widen: Sequence[int]) -> Outline:
    """Cut numbers so that every group has about as many rows; the first and last are open."""
    numbers = {
        value: parse_number(value, column.decimal)
        for value in _values(column)
        if is_number(value, column.decimal)
    }
    cuts = _cuts(column, numbers, groups)
    whole = column.type == ColumnType.INTEGER
    covered: dict[str, tuple[str | None, ...]] = dict.fromkeys(numbers, ())
    step = 1
    for factor in (1, *widen):
        step *= factor
        kept = cuts[step - 1 :: step]
        for value, number in numbers.items():
            covered[value] = (*covered[value], _between(number, kept, whole))
    return Outline.from_covered(
        {value: (*path, ROOT_LABEL) for value, path in covered.items()}, column
    )


def _values(column: Column) -> list[str]:
    return [value for value in column.values if value is not None]


def _cuts(column: Column, numbers: dict[str, Decimal], groups: int) -> list[Decimal]:
    """Return where a new group begins, at most `groups` - 1 numbers that occur in the column."""
    counts = dict(zip(column.values, column.counts.tolist(), strict=True))
    ordered = sorted(numbers, key=lambda value: numbers[value])
    below = np.cumsum([0, *(counts[value] for value in ordered)])
    cuts: list[Decimal] = []
    for part in range(1, groups):
        wanted = below[-1] * part / groups
        index = int(np.abs(below[1:-1] - wanted).argmin()) + 1 if len(ordered) > 1 else 0
        if index and numbers[ordered[index]] not in cuts:
            cuts.append(numbers[ordered[index]])
    return sorted(cuts)


def _between(number: Decimal, cuts: Sequence[Decimal], whole: bool) -> str | None:
    if not cuts:
        return ROOT_LABEL
    above = [cut for cut in cuts if cut > number]
    below = [cut for cut in cuts if cut <= number]
    return name_interval(below[-1] if below else None, above[0] if above else None, whole)


def _in_order(column: Column, order: str, typed: Sequence[str]) -> list[str]:
    """Typed values first, in their order; the rest by rows, or as numbers, dates or names."""
    known = set(_values(column))
    first = [value for value in dict.fromkeys(typed) if value in known]
    rest = [value for value in _values(column) if value not in set(first)]
    if order == "rows":
        counts = dict(zip(column.values, column.counts.tolist(), strict=True))
        return [*first, *sorted(rest, key=lambda value: (-counts[value], value))]
    return [*first, *sorted(rest, key=_natural_key(column, rest))]


def _natural_key(column: Column, values: Sequence[str]) -> Callable[[str], tuple[int, object]]:
    if values and all(is_number(value, column.decimal) for value in values):
        return lambda value: (0, parse_number(value, column.decimal))
    form = find_date_format(values) if column.type == ColumnType.DATE else None
    if form is not None:
        return lambda value: (0, parse_date(value, form))
    return lambda value: (1, value.casefold())


def _parse_rule(number: int, line: str) -> GroupingRule:
    left, equals, right = line.partition("=")
    groups = tuple(" ".join(part.split()) for part in left.split(">"))
    if not equals or not all(groups):
        raise InvalidPlan(f"Line {number}: write the group, =, and what belongs to it.")
    said = right.strip()
    if said.lower() == REST:
        return GroupingRule(groups, REST)
    for how in (STARTS, LIKE, IS):
        if said.lower().startswith(f"{how} "):
            texts = tuple(part.strip() for part in said[len(how) :].split(",") if part.strip())
            if texts:
                return GroupingRule(groups, how, texts)
    raise InvalidPlan(f'Line {number}: after = stands "starts with", "like", "is" or "rest".')
