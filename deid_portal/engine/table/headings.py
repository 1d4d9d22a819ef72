"""Headings of columns taken apart into words, and whether they speak of something."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from deid_portal.engine.table.folding import fold_accents

SHORTEST_ENDING = 5
SHORTEST_BEGINNING = 7


@dataclass(frozen=True)
class HeadingWords:
    """The name of a column taken apart."""

    all: frozenset[str]
    joined: str  # the whole name as one word

    def mention(self, words: Collection[str]) -> bool:
        """Say whether one of these words occurs, or a compound that begins or ends with one."""
        if any(word in words for word in self.all) or self.joined in words:
            return True
        return any(_is_inside(word, name) for name in self.all for word in words)


def take_apart(name: str) -> HeadingWords:
    """Return the words of a name: at spaces and signs, and where small letters meet capitals."""
    apart = re.sub(r"(?<=[^\W\d_A-Z])(?=[A-Z])", " ", name)
    words = re.findall(r"[a-z]+[0-9]*|[0-9]+", fold_accents(apart))
    return HeadingWords(frozenset(words), "".join(words))


@cache
def _is_inside(word: str, name: str) -> bool:
    """Say whether a name is a compound that ends or begins with the word."""
    if len(word) >= len(name):
        return False
    ends = len(word) >= SHORTEST_ENDING and name.endswith(word)
    return ends or (len(word) >= SHORTEST_BEGINNING and name.startswith(word))
