"""Sensitive values: how surely they can be guessed, and their distribution over classes."""

from collections.abc import Mapping
from dataclasses import dataclass

from deid_portal.engine.report.part import Part


@dataclass(frozen=True)
class SensitiveRisk(Part):
    """The largest share of a single value of the column in a class, and its lone values.

    `values` counts the released records that show a value, `lone_values` those of them whose value
    no other record shows; `lone_values_before` those of the table as it came.
    """

    surest_guess: float
    values: int | None = None
    lone_values: int | None = None
    lone_values_before: int | None = None


@dataclass(frozen=True)
class ValueCounts(Part):
    """Records with a value, or a group of values, before and after; None is the missing value."""

    value: str | None
    before: int
    after: int


@dataclass(frozen=True)
class PeopleByValues(Part):
    """Records in classes with a number of different values in a range; `to` None: open range."""

    from_: int
    to: int | None
    records: int


@dataclass(frozen=True, kw_only=True)
class SpreadState(Part):
    """The worst class, and how many records are in classes with which l and t.

    `l` is the number of different values in a class, `t` the distance of its distribution from that
    of the whole table; `people_by_t` counts records in ten equal bins from 0 to 1.
    """

    l: int  # noqa: E741 - the l of l-diversity
    t: float | None = None
    confidence: float | None = None
    people_by_l: tuple[PeopleByValues, ...]
    people_by_t: tuple[int, ...] | None = None


@dataclass(frozen=True)
class WorstGroup(Part):
    """A class whose distribution is far from the table's; `counts` has one count per group."""

    size: int
    l: int  # noqa: E741
    t: float
    most: int
    counts: tuple[int, ...]
    labels: Mapping[str, str | None] | None = None


@dataclass(frozen=True, kw_only=True)
class SensitiveSpread(Part):
    """One sensitive column; its values are grouped so that no count is of few people."""

    column: str
    distance: str
    level_name: str | None
    merged: int
    values: tuple[ValueCounts, ...]
    before: SpreadState | None = None
    after: SpreadState
    worst: tuple[WorstGroup, ...]
