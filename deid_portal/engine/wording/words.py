"""Phrases for counts and shares in sentences."""

from collections.abc import Sequence

from deid_portal.engine.wording.numbers import percent

GAP = "(missing)"
ROUND_SHARES = {
    0.25: "a quarter",
    1 / 3: "a third",
    0.5: "half",
    2 / 3: "two thirds",
    0.75: "three quarters",
}
NEARLY = 0.02
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def value_words(value: str | None) -> str:
    return GAP if value is None else value


def share_words(share: float) -> str:
    """Say a share as a person would: "half", "a third", or "12 %"."""
    for near, words in ROUND_SHARES.items():
        if abs(share - near) <= NEARLY:
            return words
    return percent(share, 0)


def capital(text: str) -> str:
    """Capitalize the first letter, for the start of a sentence."""
    return text[:1].upper() + text[1:]


def number_words(count: int) -> str:
    return NUMBERS[count] if count < len(NUMBERS) else f"{count:,}"


def counted(count: int, word: str, plural: str = "") -> str:
    return f"{count:,} {word if count == 1 else plural or word + 's'}"


def people(count: int) -> str:
    return counted(count, "person", "people")


def listed(words: Sequence[str]) -> str:
    """Join words as in a sentence: a, b and c."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
