"""Proposing a place for uncovered values: beside the most similar value of the tree."""

from bisect import bisect
from collections.abc import Iterable
from decimal import Decimal
from difflib import get_close_matches

from deid_portal.engine.table.values import is_number, parse_number
from deid_portal.engine.taxonomies.outline import Outline

ALIKE = 0.6  # as difflib measures it: 1 is the same text
MOST_VALUES = 200
MOST_PLACED = 5_000


def propose_places(outline: Outline, decimal: str = ".") -> list[tuple[str, int]]:
    """Return values without a place, each with the group of its nearest relative.

    Numbers go beside the nearest number, words beside the one of the most similar spelling, or into
    the group of the same name. Values similar to nothing get no proposal.
    """
    waiting = sorted(outline.unplaced, key=lambda value: -outline.unplaced[value])[:MOST_VALUES]
    placed = {
        branch.label: branch.parent
        for branch in outline.values()
        if branch.label and branch.parent is not None
    }
    if placed and all(is_number(value, decimal) for value in (*waiting, *placed)):
        return _beside_numbers(waiting, placed, decimal)
    groups = {group.label: group.number for group in outline.groups() if group.label}
    return list(_beside_words(waiting, {**groups, **placed}))


def _beside_numbers(
    waiting: Iterable[str], placed: dict[str, int], decimal: str
) -> list[tuple[str, int]]:
    numbers = sorted((parse_number(value, decimal), value) for value in placed)
    scale = [number for number, _ in numbers]
    found = []
    for value in waiting:
        number = parse_number(value, decimal)
        at = bisect(scale, number)
        near = numbers[max(at - 1, 0) : at + 1]
        _, nearest = min(near, key=lambda pair: _distance(pair[0], number))
        found.append((value, placed[nearest]))
    return found


def _distance(one: Decimal, other: Decimal) -> Decimal:
    return abs(one - other)


def _beside_words(waiting: Iterable[str], known: dict[str, int]) -> Iterable[tuple[str, int]]:
    spelled = {label.casefold(): number for label, number in known.items()}
    labels = list(spelled)[:MOST_PLACED]
    for value in waiting:
        near = get_close_matches(value.casefold(), labels, n=1, cutoff=ALIKE)
        if near:
            yield value, spelled[near[0]]
