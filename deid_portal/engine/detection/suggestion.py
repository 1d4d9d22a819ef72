"""One suggestion per column, with one sentence why."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from deid_portal.engine.detection import words as names
from deid_portal.engine.detection.combinations import (
    WORST_SHOWN,
    Combination,
    find_worst,
    measure_column,
    without_idle,
)
from deid_portal.engine.detection.isolation import Isolation, measure_isolation
from deid_portal.engine.detection.value_patterns import (
    Mention,
    Pattern,
    find_mention,
    find_pattern,
    is_long_text,
)
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.report.risk import Distinctness
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.table.text_values import integers_in
from deid_portal.engine.table.values import ColumnType

FEWEST_FOR_RUNNING_NUMBER = 20
MOSTLY_DIFFERENT = 0.9
MANY_DIFFERENT = 0.5
TELLS_MANY_APART = 0.9
TELLS_SOME_APART = 0.3
ISOLATES_MANY = 0.2  # share of all rows that are unique only because of the column
SMALLEST_FALL_TOLD = 0.01
PAIR = 2
NO_BREAK = "\u00a0"


class SuggestedRole(StrEnum):
    """As in a plan."""

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    SENSITIVE = "sensitive"
    INSENSITIVE = "insensitive"


class Danger(StrEnum):
    VERY_HIGH = "very high"
    HIGH = "high"
    SOME = "some"
    LOW = "low"
    HARM = "harm"  # harmful if learned, rarely known


@dataclass(frozen=True)
class JointUniqueness:
    """Shares of unique rows by all suggested quasi-identifiers, and without the column."""

    columns: int
    together: float
    without: float

    @property
    def fall(self) -> float:
        return self.together - self.without


@dataclass(frozen=True)
class Suggestion:
    """What a column most likely is; `hipaa` names the kind of identifier it is there, if any."""

    role: SuggestedRole
    danger: Danger
    reason: str
    hipaa: str
    distinction: float
    separation: float
    worst: Combination | None = None  # the worst combination it takes part in
    pair: Combination | None = None  # the worst with one other column
    isolation: JointUniqueness | None = None


@dataclass(frozen=True)
class Findings:
    """A suggestion for every column, and the combinations that isolate most people."""

    suggestions: tuple[Suggestion, ...]
    worst: tuple[Combination, ...]


@dataclass(frozen=True)
class _Guess:
    """What a column seems to be by itself."""

    role: SuggestedRole
    reason: str
    hipaa: str = ""
    is_known: bool = True  # False: only its figures suggest the role


@dataclass(frozen=True)
class ColumnLook:
    """What is known of a column before combinations are looked at."""

    guess: _Guess
    figures: Distinctness


def suggest_by_looks(
    table: Table, looks: Sequence[ColumnLook], progress: ProgressCallback | None = None
) -> Findings:
    """Suggest a role for every column when each was looked at already."""
    steps = Progress(progress)
    steps.report(0, 1, "detect")
    roles = [look.guess.role for look in looks]
    quasi = [place for place, role in enumerate(roles) if role == SuggestedRole.QUASI_IDENTIFIER]
    worst = without_idle(find_worst(table.columns, quasi))
    worst_of = _first_of_each_column(worst)
    pair_of = _first_of_each_column(one for one in worst if len(one.places) == PAIR)
    isolation = measure_isolation(table.columns.__getitem__, quasi, table.rows)
    steps.report(1, 1, "detect")
    return Findings(
        tuple(
            _suggest(
                table,
                place,
                look,
                worst_of.get(place),
                pair_of.get(place),
                _together(place, isolation),
            )
            for place, look in enumerate(looks)
        ),
        tuple(worst[:WORST_SHOWN]),
    )


def _first_of_each_column(combinations: Iterable[Combination]) -> dict[int, Combination]:
    first: dict[int, Combination] = {}
    for combination in combinations:
        for place in combination.places:
            first.setdefault(place, combination)
    return first


def _together(place: int, isolation: Isolation) -> JointUniqueness | None:
    if place not in isolation.without:
        return None
    return JointUniqueness(len(isolation.without), isolation.together, isolation.without[place])


def look_at(column: Column) -> ColumnLook:
    """Look at one column: its name, its values, how far it tells people apart."""
    return ColumnLook(_judge(column), measure_column(column))


def _judge(column: Column) -> _Guess:
    words = names.take_apart(column.name)
    filled = column.rows - column.missing
    different = int(np.count_nonzero(column.counts)) - bool(column.missing)
    share = different / filled if filled else 0.0
    if different <= 1:
        reason = "Every cell is missing." if not filled else "Every row has the same value."
        return _Guess(SuggestedRole.INSENSITIVE, f"{reason} It tells nobody apart.")
    pattern = find_pattern(column)
    if pattern is not None:
        return _Guess(SuggestedRole.IDENTIFIER, _pattern_reason(pattern, share), pattern.hipaa)
    mention = find_mention(column)
    if mention is not None:
        return _Guess(SuggestedRole.IDENTIFIER, _mention_reason(mention), mention.hipaa)
    if is_long_text(column):
        return _Guess(
            SuggestedRole.IDENTIFIER, "Long texts often name people; nobody can check them all."
        )
    return (
        _by_name(column, words, share)
        or _by_distinctness(column, words, share, filled)
        or _Guess(SuggestedRole.QUASI_IDENTIFIER, "", is_known=False)
    )


def _pattern_reason(pattern: Pattern, share: float) -> str:
    whose = "Every value" if pattern.share == 1 else f"{_percent(pattern.share)} of the values"
    verb = "is" if pattern.share == 1 else "look like"
    alone = " and no two rows share one" if share == 1 else ""
    return f"{whose} {verb} {pattern.words}{alone}."


def _mention_reason(mention: Mention) -> str:
    texts = "1 text contains" if mention.values == 1 else f"{mention.values} texts contain"
    return f"Texts may name people; {texts} {mention.words}."


def _by_name(column: Column, words: names.Words, share: float) -> _Guess | None:
    identifier = names.find_identifier(words)
    if identifier is not None:
        reason = f"The heading speaks of {identifier.title}{_how_different(share)}."
        return _Guess(SuggestedRole.IDENTIFIER, reason, identifier.hipaa)
    sensitive = names.find_sensitive(words)
    if sensitive is not None:
        reason = f"The heading speaks of {sensitive.title}: harmful if learned, rarely known."
        return _Guess(SuggestedRole.SENSITIVE, reason)
    quasi = names.find_quasi_identifier(words)
    if quasi is not None:
        return _Guess(SuggestedRole.QUASI_IDENTIFIER, quasi.title, quasi.hipaa)
    kind = names.find_english_identifier(column.name)
    if kind and share >= MANY_DIFFERENT:
        reason = f"The heading speaks of {kind}{_how_different(share)}."
        return _Guess(SuggestedRole.IDENTIFIER, reason, kind)
    return None


def _by_distinctness(
    column: Column, words: names.Words, share: float, filled: int
) -> _Guess | None:
    code = "other unique codes"
    if names.is_number_of_people(words) and share >= MOSTLY_DIFFERENT:
        reason = f"The heading speaks of a number or code{_how_different(share)}."
        return _Guess(SuggestedRole.IDENTIFIER, reason, code)
    if share == 1 and filled >= FEWEST_FOR_RUNNING_NUMBER:
        if _is_running(column, filled):
            return _Guess(
                SuggestedRole.IDENTIFIER, "A running number: no two rows share one.", code
            )
        if column.type == ColumnType.TEXT:
            reason = "No two rows share a value, so every value points to one row."
            return _Guess(SuggestedRole.IDENTIFIER, reason, code)
    if column.type == ColumnType.DATE:
        reason = "When something happened is often known to others."
        return _Guess(SuggestedRole.QUASI_IDENTIFIER, reason, "dates")
    return None


def _is_running(column: Column, filled: int) -> bool:
    if column.type != ColumnType.INTEGER:
        return False
    numbers = integers_in(column.texts)
    return int(numbers.max()) - int(numbers.min()) == filled - 1


def _suggest(
    table: Table,
    place: int,
    look: ColumnLook,
    worst: Combination | None,
    pair: Combination | None,
    together: JointUniqueness | None,
) -> Suggestion:
    own, figures = look.guess, look.figures
    reasons = [own.reason] if own.is_known else []
    if together is not None and together.fall >= SMALLEST_FALL_TOLD:
        reasons.append(_why_by_fall(together))
    return Suggestion(
        role=own.role,
        danger=_danger(own, figures, together),
        reason=" ".join(reasons) or _why_by_figures(table, place, figures, worst),
        hipaa=own.hipaa,
        distinction=figures.distinction,
        separation=figures.separation,
        worst=worst,
        pair=pair,
        isolation=together,
    )


def _danger(own: _Guess, figures: Distinctness, together: JointUniqueness | None) -> Danger:
    match own.role:
        case SuggestedRole.IDENTIFIER:
            return Danger.VERY_HIGH
        case SuggestedRole.SENSITIVE:
            return Danger.HARM
        case SuggestedRole.INSENSITIVE:
            return Danger.LOW
    isolates_many = together is not None and together.fall >= ISOLATES_MANY
    if isolates_many or figures.separation >= TELLS_MANY_APART:
        return Danger.HIGH
    return Danger.SOME if own.is_known or figures.separation >= TELLS_SOME_APART else Danger.LOW


def _why_by_fall(together: JointUniqueness) -> str:
    before, after = _percent(together.together), _percent(together.without)
    return f"Without it, one-of-a-kind rows fall from {before} to {after}."


def _why_by_figures(
    table: Table, place: int, figures: Distinctness, worst: Combination | None
) -> str:
    """Say how many people the column isolates in its worst combination."""
    if worst is None:
        return f"It tells {_percent(figures.separation)} of all pairs of rows apart."
    others = [table.columns[other].name for other in worst.places if other != place]
    with_others = f"With {_join(others)} it" if others else "Alone it"
    looked_at = "" if worst.rows == table.rows else f" of {worst.rows:,} rows looked at"
    rows = f"{worst.alone:,} rows" if worst.alone != 1 else "1 row"
    return f"{with_others} makes {rows}{looked_at} one of a kind ({_percent(worst.share)})."


def _join(parts: Sequence[str]) -> str:
    return " and ".join(part if len(part) <= 40 else f"{part[:39]}…" for part in parts)


def _how_different(share: float) -> str:
    if share == 1:
        return " and no two rows share a value"
    return f" and {_percent(share)} of the values are different" if share >= MANY_DIFFERENT else ""


def _percent(share: float) -> str:
    if 0 < share < 0.01:
        return f"less than 1{NO_BREAK}%"
    return f"{min(share, 0.99) if share < 1 else 1:.0%}".replace("%", f"{NO_BREAK}%")
