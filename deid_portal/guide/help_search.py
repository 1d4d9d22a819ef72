"""Searching the help: titles count more than headings, headings more than running text.

Pages with all of the words are found; where there is none, those with the most of them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import log2

from deid_portal.guide.help_pages import HelpPage, HelpSection, list_help_pages

IN_TITLE, IN_HEADING, IN_TEXT = 12.0, 5.0, 1.0
AS_ASKED = 25.0
WHOLE_WORD = 2.0  # times what the beginning of a longer word counts
LENGTH_OF_SNIPPET = 220
BEFORE_HIT = 70
MOST_WORDS = 8
MOST_RESULTS = 30
# Words of a question that say nothing about what is looked for.
FILLERS = frozenset(
    "a an and can do does for how i in is it my of on or the to what when why".split()
)
WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class SnippetPart:
    text: str
    is_hit: bool


@dataclass(frozen=True)
class HelpResult:
    page: HelpPage
    section: HelpSection
    snippet: tuple[SnippetPart, ...]

    @property
    def is_in_title(self) -> bool:
        return not self.section.anchor


def search_help(asked: str) -> list[HelpResult]:
    """Return the pages in which the words occur or begin a word, the most telling first."""
    words = [_stem(word) for word in WORD.findall(asked.lower()) if word not in FILLERS]
    words = words[:MOST_WORDS]
    weighed = [(weigh_page(page, words), page) for page in list_help_pages()]
    most = max((n for (n, _), _ in weighed), default=0)
    if not words or not most:
        return []
    found = [
        (score + _score_of_phrase(page.title, asked), page)
        for (n, score), page in weighed
        if n == most
    ]
    found.sort(key=lambda one: (-one[0], one[1].title))
    return [_result(page, words) for _, page in found[:MOST_RESULTS]]


def stems_of(text: str) -> list[str]:
    """Return the words as they are compared: "k-anonymity" is two, and plurals are one with it."""
    return [_stem(word) for word in WORD.findall(text.lower())]


def _stem(word: str) -> str:
    for ending in ("ies", "es", "s"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            return word[: -len(ending)]
    return word[:-1] if len(word) > 4 and word.endswith(("y", "e")) else word


@cache
def _counted(text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in stems_of(text):
        counts[word] = counts.get(word, 0) + 1
    return counts


def weigh_page(page: HelpPage, words: Sequence[str]) -> tuple[int, float]:
    """Return how many of the words a page has, and how telling it is for them."""
    scores = [_score(page, word) for word in words]
    return sum(score > 0 for score in scores), sum(scores)


def _score(page: HelpPage, word: str) -> float:
    in_sections = sum(_score_of_section(section, word) for section in page.sections)
    return IN_TITLE * _times(page.title, word) + in_sections


def _score_of_phrase(title: str, asked: str) -> float:
    """Say how well a title fits what was asked as it stands: "k-anonymity" is one thing."""
    title, asked = title.lower(), asked.strip().lower()
    return AS_ASKED * (title.startswith(asked) + (asked in title))


def _score_of_section(section: HelpSection, word: str) -> float:
    in_heading = IN_HEADING * _times(section.title, word) if section.anchor else 0.0
    return in_heading + IN_TEXT * log2(1 + _times(section.text, word))


def _times(text: str, word: str) -> float:
    counts = _counted(text)
    begins = sum(n for own, n in counts.items() if own.startswith(word) and own != word)
    return WHOLE_WORD * counts.get(word, 0) + begins


def _result(page: HelpPage, words: Sequence[str]) -> HelpResult:
    section = max(page.sections, key=lambda own: _weight(own, words))
    return HelpResult(page, section, make_snippet(section.text or section.title, words))


def _weight(section: HelpSection, words: Sequence[str]) -> tuple[int, float]:
    scores = [_score_of_section(section, word) for word in words]
    return sum(score > 0 for score in scores), sum(scores)


def make_snippet(text: str, words: Sequence[str]) -> tuple[SnippetPart, ...]:
    """Cut out the part of a text in which most of the words stand close together, and mark them."""
    hits = [own for own in WORD.finditer(text) if _is_hit(own[0], words)]
    start = max(hits, key=lambda own: _hits_from(own.start(), hits), default=None)
    begins = _back_to_a_word(text, start.start() - BEFORE_HIT) if start is not None else 0
    ends = begins + LENGTH_OF_SNIPPET
    if ends < len(text):
        ends = text.rfind(" ", begins, ends) if " " in text[begins:ends] else ends
    parts = list(_divide(text, begins, min(ends, len(text)), hits))
    if begins:
        parts.insert(0, SnippetPart("… ", False))
    if ends < len(text):
        parts.append(SnippetPart(" …", False))
    return tuple(parts)


def _is_hit(word: str, words: Sequence[str]) -> bool:
    stem = _stem(word.lower())
    return any(stem.startswith(own) for own in words)


def _hits_from(start: int, hits: Iterable[re.Match[str]]) -> int:
    end = start + LENGTH_OF_SNIPPET - BEFORE_HIT
    return len({own[0].lower() for own in hits if start <= own.start() < end})


def _back_to_a_word(text: str, place: int) -> int:
    return 0 if place <= 0 else text.find(" ", place) + 1


def _divide(
    text: str, begins: int, ends: int, hits: Iterable[re.Match[str]]
) -> Iterable[SnippetPart]:
    at = begins
    for own in hits:
        if own.start() < at or own.end() > ends:
            continue
        if own.start() > at:
            yield SnippetPart(text[at : own.start()], False)
        yield SnippetPart(own[0], True)
        at = own.end()
    if at < ends:
        yield SnippetPart(text[at:ends], False)
