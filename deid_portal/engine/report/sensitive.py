"""How surely a sensitive value can be guessed, and how such values are spread over groups."""

from collections.abc import Mapping
from dataclasses import dataclass

from deid_portal.engine.report.part import Part


@dataclass(frozen=True)
class SurestGuess(Part):
    """The largest share that one value of the column has in a group."""

    surest_guess: float


@dataclass(frozen=True)
class ValueCounts(Part):
    """The records with a value, or a group of values, before and after; None is the gap."""

    value: str | None
    before: int
    after: int


@dataclass(frozen=True)
class PeopleByValues(Part):
    """The records in groups of so many different values; `to` is None for the open end."""

    from_: int
    to: int | None
    records: int


@dataclass(frozen=True, kw_only=True)
class SpreadState(Part):
    """The worst of all groups, and how many people are in groups of which kind.

    `l` is the number of different values in a group, `t` how far its values are from those of the
    whole table; `people_by_t` counts in ten equal steps from 0 to 1.
    """

    l: int  # noqa: E741 - the l of l-diversity
    t: float | None = None
    confidence: float | None = None
    people_by_l: tuple[PeopleByValues, ...]
    people_by_t: tuple[int, ...] | None = None


@dataclass(frozen=True)
class WorstGroup(Part):
    """A group whose values are far from those of the table; `counts` are per value told."""

    size: int
    l: int  # noqa: E741
    t: float
    most: int
    counts: tuple[int, ...]
    labels: Mapping[str, str | None] | None = None


@dataclass(frozen=True, kw_only=True)
class SensitiveSpread(Part):
    """One sensitive column; values are told in groups of people."""

    column: str
    distance: str
    level_name: str | None
    merged: int
    values: tuple[ValueCounts, ...]
    before: SpreadState | None = None
    after: SpreadState
    worst: tuple[WorstGroup, ...]
