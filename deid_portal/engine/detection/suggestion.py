"""One suggestion per column, with one sentence why."""

import re
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
from deid_portal.engine.detection.free_text import find_free_text
from deid_portal.engine.detection.isolation import Isolation, measure_isolation
from deid_portal.engine.detection.person_names import Heading, NameLook, look_for_names
from deid_portal.engine.detection.value_patterns import (
    Mention,
    Pattern,
    are_addresses,
    are_diagnosis_codes,
    find_mention,
    find_pattern,
)
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.report.risk import Distinctness
from deid_portal.engine.table.headings import HeadingWords, take_apart
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.table.text_values import integers_in
from deid_portal.engine.table.values import ColumnType
from deid_portal.engine.taxonomies.postal_codes import find_postal_system

FEWEST_FOR_RUNNING_NUMBER = 20
MOSTLY_DIFFERENT = 0.9
MANY_DIFFERENT = 0.5
TELLS_MANY_APART = 0.9
TELLS_SOME_APART = 0.3
ISOLATES_NEARLY_ALL = 0.9  # share of rows one of a kind, at which columns do not differ by it
ISOLATES_MANY = 0.2  # share of all rows that are unique only because of the column
SMALLEST_FALL_TOLD = 0.01
PAIR = 2
MOST_CODES = 500
LONG_CODE = re.compile(r"(?=(.*[0-9]){4})[A-Za-z0-9/.-]{6,20}\Z")
LONG_NUMBER = 8  # digits
SHORTEST_GIVEN_OUT = 4
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
    """What a column most likely is; `hipaa` names the kind of identifier it is there, if any.

    Without a role a person has to decide: no role is safe for texts that nobody has read.
    """

    role: SuggestedRole | None
    danger: Danger
    reason: str
    hipaa: str
    distinction: float
    separation: float
    worst: Combination | None = None  # the worst combination it takes part in
    pair: Combination | None = None  # the worst with one other column
    isolation: JointUniqueness | None = None
    is_free_text: bool = False


@dataclass(frozen=True)
class Findings:
    """A suggestion for every column, and the combinations that isolate most people."""

    suggestions: tuple[Suggestion, ...]
    worst: tuple[Combination, ...]


@dataclass(frozen=True)
class _Guess:
    """What a column seems to be by itself."""

    role: SuggestedRole | None
    reason: str
    hipaa: str = ""
    is_known: bool = True  # False: only its figures suggest the role
    is_free_text: bool = False


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
    words = take_apart(column.name)
    filled = column.rows - column.missing
    different = int(np.count_nonzero(column.counts)) - bool(column.missing)
    share = different / filled if filled else 0.0
    if different <= 1:
        reason = "Every cell is missing." if not filled else "Every row has the same value."
        return _Guess(SuggestedRole.INSENSITIVE, f"{reason} It tells nobody apart.")
    pattern = find_pattern(column)
    if pattern is not None:
        return _Guess(SuggestedRole.IDENTIFIER, _pattern_reason(pattern, share), pattern.hipaa)
    return (
        _by_texts(column, words, share)
        or _by_identifying_name(column, words, share)
        or _by_names_of_people(column, words, share)
        or _by_name(column, words, share)
        or _by_distinctness(column, words, share, filled)
        or _Guess(SuggestedRole.QUASI_IDENTIFIER, "", is_known=False)
    )


def _by_texts(column: Column, words: HeadingWords, share: float) -> _Guess | None:
    """What only texts of several words can be: addresses, free text, texts that name people."""
    if are_addresses(column):
        reason = f"Most values look like a street with a house number{_how_different(share)}."
        return _Guess(SuggestedRole.IDENTIFIER, reason, "geographic subdivisions")
    free_text = find_free_text(column, share, names.speaks_of_remarks(words))
    if free_text is not None:
        return _Guess(None, f"{free_text.explain()} Nobody can check it all.", is_free_text=True)
    mention = find_mention(column)
    if mention is not None:
        return _Guess(SuggestedRole.IDENTIFIER, _mention_reason(mention), mention.hipaa)
    return None


def _by_names_of_people(column: Column, words: HeadingWords, share: float) -> _Guess | None:
    found = look_for_names(column)
    if found is not None and found.are_names(_heading(words), share):
        return _Guess(SuggestedRole.IDENTIFIER, _names_reason(found), "names")
    return None


def _heading(words: HeadingWords) -> Heading:
    if names.speaks_of_people(words):
        return Heading.OF_PEOPLE
    is_other = names.find_sensitive(words) or names.find_quasi_identifier(words)
    return Heading.OF_OTHER_THINGS if is_other else Heading.SILENT


def _names_reason(found: NameLook) -> str:
    if found.titled >= MANY_DIFFERENT:
        return "Most values look like names of people, with a title in front."
    known = f"{_percent(found.known)} of the values hold a usual first or family name"
    return f"Most values look like names of people; {known}."


def _pattern_reason(pattern: Pattern, share: float) -> str:
    whose = "Every value" if pattern.share == 1 else f"{_percent(pattern.share)} of the values"
    verb = "is" if pattern.share == 1 else "look like"
    alone = " and no two rows share one" if share == 1 else ""
    return f"{whose} {verb} {pattern.words}{alone}."


def _mention_reason(mention: Mention) -> str:
    texts = "1 text contains" if mention.values == 1 else f"{mention.values} texts contain"
    return f"Texts may name people; {texts} {mention.words}."


def _by_identifying_name(column: Column, words: HeadingWords, share: float) -> _Guess | None:
    identifier = names.find_identifier(words)
    if identifier is not None and (column.type == ColumnType.TEXT or identifier.hipaa != "names"):
        reason = f"The heading speaks of {identifier.title}{_how_different(share)}."
        return _Guess(SuggestedRole.IDENTIFIER, reason, identifier.hipaa)
    return None


def _by_name(column: Column, words: HeadingWords, share: float) -> _Guess | None:
    sensitive = names.find_sensitive(words)
    if sensitive is None and are_diagnosis_codes(column):
        reason = "Most values look like codes of diagnoses (ICD): harmful if learned, rarely known."
        return _Guess(SuggestedRole.SENSITIVE, reason)
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
    column: Column, words: HeadingWords, share: float, filled: int
) -> _Guess | None:
    code = "other unique codes"
    is_many = share >= MOSTLY_DIFFERENT or names.speaks_of_people(words)
    if names.is_number_of_people(words) and (is_many or _are_long_codes(column)):
        reason = f"The heading speaks of a number or code{_how_different(share)}."
        return _Guess(SuggestedRole.IDENTIFIER, reason, code)
    if share == 1 and filled >= FEWEST_FOR_RUNNING_NUMBER:
        if _is_running(column, filled):
            return _Guess(
                SuggestedRole.IDENTIFIER, "A running number: no two rows share one.", code
            )
        if _are_given_out(column):
            reason = "Long numbers of one length, and no two rows share one."
            return _Guess(SuggestedRole.IDENTIFIER, reason, code)
        if column.type == ColumnType.TEXT and not _are_postal_codes(column):
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


def _are_postal_codes(column: Column) -> bool:
    return find_postal_system(column.name, column.texts.first(MOST_CODES)) is not None


def _are_long_codes(column: Column) -> bool:
    """Say whether the texts are codes long enough to number people, who may come repeatedly."""
    codes = column.texts.first(MOST_CODES)
    is_long = all(LONG_CODE.match(code) for code in codes)
    return is_long and len(codes) >= FEWEST_FOR_RUNNING_NUMBER


def _are_given_out(column: Column) -> bool:
    """Say whether these are numbers that an office gives out: in order, or long and alike."""
    if column.type != ColumnType.INTEGER:
        return False
    numbers = integers_in(column.texts)
    length = len(str(abs(int(numbers[0]))))
    if any(len(str(abs(int(number)))) != length for number in (numbers.min(), numbers.max())):
        return False
    is_rising = column.missing == 0 and bool(np.all(np.diff(numbers) > 0))
    return length >= LONG_NUMBER or (is_rising and length >= SHORTEST_GIVEN_OUT)


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
        is_free_text=own.is_free_text,
    )


def _danger(own: _Guess, figures: Distinctness, together: JointUniqueness | None) -> Danger:
    match own.role:
        case SuggestedRole.IDENTIFIER | None:
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
    """Say how many people the column isolates in its worst combination.

    Where that isolates nearly everybody, it would say so of many columns alike; so what the column
    does by itself comes first.
    """
    apart = f"tells {_percent(figures.separation)} of all pairs of rows apart"
    if worst is None:
        return f"It {apart}."
    others = [table.columns[other].name for other in worst.places if other != place]
    if others and worst.share >= ISOLATES_NEARLY_ALL:
        alone = "every row is" if worst.share == 1 else f"{_percent(worst.share)} of the rows are"
        values = "1 value" if figures.distinct == 1 else f"{figures.distinct:,} values"
        return f"It has {values} and {apart}; with {_join(others)} {alone} one of a kind."
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
