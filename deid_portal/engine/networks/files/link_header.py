"""Is the first line of a list of links a header, or a link between two people?

A header is what cannot be a link: the ids of links look like other ids and usually occur again.
Reasons name no cell.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deid_portal.engine.table.missing_words import says_missing
from deid_portal.engine.table.values import is_number

Rows = Sequence[Sequence[str]]
# What people call the columns of a list of links, without blanks, signs and numbers at the end.
COLUMN_WORDS = frozenset(
    """
    source target from to src dst dest destination start end head tail origin sender receiver
    recipient follower followee following followed fromnode tonode fromnodeid tonodeid fromid toid
    sourceid targetid node vertex id ego alter person friend name user member contact colleague
    partner caller callee called citing cited author coauthor parent child employee patient
    student account actor individual participant u v i j a b x y
    """.split()
)
FEWEST_LINKS = 2  # below the first line, to say that it is unlike the others
RARE = 0.05  # largest share of isolated lines with which the first can be a header


@dataclass(frozen=True)
class Header:
    """Whether the first line is a header, why, and whether the file leaves no doubt."""

    is_there: bool
    reason: str
    is_sure: bool = True

    @property
    def sentence(self) -> str:
        taken = "a header" if self.is_there else "a link"
        return f"The first line was taken for {taken}: {self.reason}."


@dataclass(frozen=True)
class SharedTrait:
    """A property all ids of a list may share; `is_telling` if column names lack it."""

    words: str
    has: Callable[[str], object]
    is_telling: bool = True


DIGIT, DIGITS = re.compile(r"\d"), re.compile(r"\d+")
KNOWN = Header(True, "its words are usual names of columns and no id below")
LOOKS = (
    SharedTrait("is a number", is_number),
    SharedTrait("has a digit", DIGIT.search),
    SharedTrait("has a sign in it", re.compile(r"[@.:/_\-]").search, is_telling=False),
    SharedTrait("begins with a capital", lambda text: text[:1].isupper(), is_telling=False),
)


def find_header(rows: Rows) -> Header:
    """Judge the first row by those below it, which may be only the beginning of the file."""
    if len(rows) < 2:
        return Header(False, "there is no other line")
    first = [cell.strip() for cell in rows[0][:2]]
    links = [tuple(cell.strip() for cell in row[:2]) for row in rows[1:]]
    below = Counter(cell for link in links for cell in link)
    if first[0] == first[-1]:
        return Header(False, "both its names are the same")
    if any(below[name] for name in first):
        return Header(False, "a name in it occurs again further down")
    return (
        _judge_by_further_columns(rows, first, list(below))
        or _judge_by_words(first, list(below))
        or _judge_by_looks(first, list(below))
        or _judge_by_links(links, below)
    )


def _judge_by_further_columns(
    rows: Rows, first: Sequence[str], below_links: Sequence[str]
) -> Header | None:
    """Judge by the columns beside the links: a name above numbers, or a number like the others.

    A word may also mark a missing number, so it is conclusive only beside usual column names.
    """
    for place in range(2, min(len(row) for row in rows)):
        top, *below = (row[place].strip() for row in rows)
        is_numeric = any(below) and all(is_number(cell) for cell in below if cell)
        if is_numeric and top and not says_missing(top):
            is_name = not is_number(top)
            words = "a word stands above numbers" if is_name else "a number stands above numbers"
            is_sure = not is_name or _judge_by_words(first, below_links) == KNOWN
            return Header(is_name, f"in its column {place + 1} {words}", is_sure)
    return None


def _judge_by_words(first: Sequence[str], below: Sequence[str]) -> Header | None:
    """Judge by usual column names; single letters count only beside one, as they could be ids.

    `user1` above `user3` is an id, too; above other ids with digits it may be one.
    """
    words = [re.sub(r"[\W_\d]+", "", name.lower()) for name in first]
    known = [word for word in words if word in COLUMN_WORDS]
    if not any(len(word) > 1 for word in known):
        return None
    if {_shape(name) for name in first} <= {_shape(cell) for cell in below}:
        return Header(False, "its names are made as ids below are", is_sure=False)
    if len(known) == len(words) and not all(map(DIGIT.search, [*first, *below])):
        return KNOWN
    return Header(True, "its words could be names of columns", is_sure=False)


def _shape(text: str) -> str:
    """Return how an id is made: `user17` and `user4` are made alike."""
    return DIGITS.sub("0", text.lower())


def _judge_by_looks(first: Sequence[str], below: Sequence[str]) -> Header | None:
    """Judge by the form of ids: a line unlike all others is probably a header."""
    for look in LOOKS:
        if not all(look.has(cell) for cell in below):
            continue
        if not any(look.has(name) for name in first):
            words = f"every id below {look.words}, and none of its names"
            return Header(True, words, is_sure=look.is_telling)
        if look.is_telling and all(look.has(name) for name in first):
            return Header(False, f"every id {look.words}, as its names do")
    return None


def _judge_by_links(links: Sequence[tuple[str, ...]], below: Counter[str]) -> Header:
    """Judge by shared ids: how usual are lines that, like the first, share no id with any other?"""
    apart = sum(all(below[cell] == 1 for cell in link) for link in links)
    if len(links) < FEWEST_LINKS or apart > RARE * len(links):
        words = "its names occur nowhere else, but neither do those of other lines"
        return Header(False, words, is_sure=False)
    words = "its names occur nowhere else, while those of the other lines do"
    return Header(True, words, is_sure=False)
