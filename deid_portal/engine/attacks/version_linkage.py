"""Releases of several versions of a table, crossed person by person.

Next month's table has other rows: people joined, people left, values changed. Whoever holds the
releases of both months looks for a person in each. Who is who across versions is told by a column
that names people; where there is none, rows that agree in what an intruder knows about a person are
taken for the same people, as many as possible.

X. Xiao and Y. Tao, m-invariance: towards privacy preserving re-publication of dynamic datasets,
SIGMOD 2007; J.-W. Byun and others, Secure anonymization for incremental datasets, SDM 2006.
"""

from collections.abc import Sequence

import numpy as np

from deid_portal.engine.attacks.attack import AttackSetting
from deid_portal.engine.attacks.release_crossing import (
    NOWHERE,
    CrossedReleases,
    class_of_person,
    cross_places,
)
from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.table.projection import number_patterns
from deid_portal.engine.table.table import Codes, Column, Table


def link_by_name(columns: Sequence[Column]) -> list[Codes]:
    """Number the people of several tables by the text of a column that names them.

    Rows without a name are different people: each gap gets its own number.
    """
    known: dict[str, int] = {}
    numbers = []
    for column in columns:
        # Numbers of gaps stay free until all names are known.
        own = [-1 if text is None else known.setdefault(text, len(known)) for text in column.values]
        numbers.append(np.array(own, np.int32)[column.codes])
    free = len(known)
    for people in numbers:
        gaps = np.flatnonzero(people < 0)
        people[gaps] = free + np.arange(len(gaps), dtype=np.int32)
        free += len(gaps)
    return numbers


def link_by_what_is_known(tables: Sequence[Table], names: Sequence[str]) -> list[Codes]:
    """Number the rows of several tables so that rows which agree are the same people.

    As many people as possible are identified: of three equal rows in one table and two in another,
    two people are in both. A gap is a value like any other.
    """
    if not names:
        raise InvalidTable("The versions share no column that an intruder could look people up by.")
    coded = np.array([_codes_alike([table[name] for table in tables]) for name in names], np.int32)
    ends = np.cumsum([table.rows for table in tables])[:-1]
    patterns = np.split(number_patterns(coded), ends)
    turns = [_count_before(own) for own in patterns]
    numbers = number_patterns(np.stack([np.concatenate(patterns), np.concatenate(turns)]))
    return [np.asarray(part, np.int32) for part in np.split(numbers, ends)]


def _count_before(numbers: Codes) -> Codes:
    """Return, per row, how many rows before it have the same number."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    first = np.searchsorted(ordered, ordered, "left")
    before = np.empty(len(numbers), np.int32)
    before[order] = np.arange(len(numbers)) - first
    return before


def _codes_alike(columns: Sequence[Column]) -> Codes:
    """Code the same text alike in all columns, one after the other."""
    known: dict[str | None, int] = {}
    coded = []
    for column in columns:
        own = [known.setdefault(text, len(known)) for text in column.values]
        coded.append(np.array(own, np.int32)[column.codes])
    return np.concatenate(coded)


def cross_people(releases: Sequence[AttackSetting], people: Sequence[Codes]) -> CrossedReleases:
    """Cross releases of several tables; people in the same classes of all releases look alike.

    `people` numbers the person of each original row. Being absent from a release counts, too:
    differences of releases show who joined, who left and who was suppressed.
    """
    return cross_places(_places(releases, people))


def _places(releases: Sequence[AttackSetting], people: Sequence[Codes]) -> Codes:
    """Return per release and person where they are shown.

    A person with several rows is shown in a set of classes; equal sets get equal numbers.
    """
    count = max((int(own.max(initial=-1)) for own in people), default=-1) + 1
    places = np.full((len(releases), count), NOWHERE, np.int32)
    for number, (release, own) in enumerate(zip(releases, people, strict=True)):
        if len(own) != release.original.rows:
            raise InvalidTable("Every original row needs the number of its person.")
        places[number] = _sets_of(own, class_of_person(release), count)
    return places


def _sets_of(people: Codes, classes: Codes, count: int) -> Codes:
    """Number per person the set of classes their rows are in; one class alone keeps its number."""
    pairs = np.unique((people.astype(np.int64) << 32) | (classes.astype(np.int64) + 1))
    owners, members = pairs >> 32, (pairs & 0xFFFFFFFF) - 1
    sets = np.full(count, NOWHERE, np.int32)
    sets[owners] = members
    several = np.flatnonzero(np.bincount(owners, minlength=count) > 1)
    free = int(classes.max(initial=-1)) + 1
    known: dict[tuple[int, ...], int] = {}
    first = np.searchsorted(owners, several, "left")
    last = np.searchsorted(owners, several, "right")
    for person, start, end in zip(several, first, last, strict=True):
        sets[person] = free + known.setdefault(tuple(members[start:end].tolist()), len(known))
    return sets
