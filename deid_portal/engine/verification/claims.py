"""The claims of a package, and whether each holds, fails or cannot be verified."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from deid_portal.engine.report import written

TOLERANCE = 1e-9  # for rounding errors


class ClaimOutcome(StrEnum):
    HOLDS = "holds"
    FAILS = "fails"
    # Cannot be computed from the release; only the signature vouches for it.
    TRUSTED = "taken on trust"


@dataclass(frozen=True)
class Claim:
    name: str
    outcome: ClaimOutcome
    words: str = ""  # why it fails, or why it cannot be verified
    places: tuple[str, ...] = ()  # paths in the report that it covers; `*` is any one step

    @property
    def fails(self) -> bool:
        return self.outcome is ClaimOutcome.FAILS


@dataclass
class Claims:
    """Collects the outcomes of claims, in the order they were checked."""

    made: list[Claim] = field(default_factory=list)

    def hold(self, name: str, is_true: bool, words: str) -> None:
        outcome = ClaimOutcome.HOLDS if is_true else ClaimOutcome.FAILS
        self.made.append(Claim(name, outcome, "" if is_true else words))

    def trust(self, name: str, why: str, *places: str) -> None:
        self.made.append(Claim(name, ClaimOutcome.TRUSTED, why, places))

    def compare(self, name: str, said: Any, found: Any) -> None:
        """Compare a claim with what was found; ignores entries of the claim that `found` lacks."""
        difference = find_difference(written(said), written(found), name)
        self.hold(name, not difference, difference)


def find_difference(said: Any, found: Any, place: str) -> str:
    """Return the first path where they differ, with both numbers; "" if they are equal."""
    if isinstance(found, Mapping):
        if not isinstance(said, Mapping):
            return f"{place}: missing."
        differences = (
            find_difference(said.get(key), own, f"{place}.{key}") for key, own in found.items()
        )
        return next((words for words in differences if words), "")
    if isinstance(found, Sequence) and not isinstance(found, str):
        if not isinstance(said, Sequence) or len(said) != len(found):
            return f"{place}: said and found are not equally many."
        pairs = enumerate(zip(said, found, strict=True))
        differences = (find_difference(*pair, f"{place}.{number}") for number, pair in pairs)
        return next((words for words in differences if words), "")
    return "" if is_same(said, found) else f"{place}: said {_write(said)}, found {_write(found)}."


def is_same(said: Any, found: Any) -> bool:
    if isinstance(said, bool) or isinstance(found, bool):
        return said is found
    if isinstance(said, int | float) and isinstance(found, int | float):
        return math.isclose(said, found, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(said == found)


def _write(value: Any) -> str:
    """Write numbers and booleans only; texts of a package may be cells of the table."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:.6g}" if isinstance(value, float) else f"{value:,}"
    return "another text"
