"""The wording of the desk: kinds of questions, widths, confidence, times."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from deid_portal.engine.differential.number_words import width_words
from deid_portal.engine.wording.numbers import NBSP

MINUS = "−"


@dataclass(frozen=True)
class KindWords:
    """How a kind of question is shown: its tile, and the sentence around its selects."""

    icon: str
    title: str
    about: str
    lead: str
    among: str = "among people with"
    between: tuple[str, ...] = ()  # before the second select, the third …
    tail: str = ""  # after the selects
    accuracy: str = "I need the answer to within"
    is_around: bool = True  # whether that reaches to either side of the answer


KINDS = {
    "count": KindWords("users", "How many", "count of people", "How many people", "have"),
    "mean": KindWords("math-function", "Average", "mean of a number", "What is the average"),
    "histogram": KindWords("chart-histogram", "Spread", "histogram", "How is spread"),
    "most-common": KindWords(
        "trophy",
        "Most common",
        "the top value",
        "What is the most common",
        accuracy="No other value may lead by more than",
        is_around=False,
    ),
    "count-by-group": KindWords(
        "chart-bar", "By group", "a count per value", "How many people per"
    ),
    "sum": KindWords("sum", "Sum", "of a number", "What is the sum of"),
    "variance": KindWords("activity", "Variance", "how far apart", "How much varies"),
    "median": KindWords(
        "chart-dots",
        "Median",
        "the middle",
        "What is the middle of",
        accuracy="I need its interval to reach no further than",
    ),
    "quantiles": KindWords(
        "list-numbers",
        "Quantiles",
        "cut points",
        "Where are the cut points of",
        accuracy="I need each interval to reach no further than",
    ),
    "histogram-mean": KindWords(
        "chart-bar",
        "Average by buckets",
        "mean from a histogram",
        "What is the bucketed average of",
    ),
    "contingency": KindWords("table", "Table", "counts across columns", "How many people per"),
    "count-by-period": KindWords(
        "calendar", "Over time", "a count per month", "How many people by"
    ),
    "links": KindWords(
        "link", "Links", "how many there are", "How many links are there", "between people with"
    ),
    "people-with-links": KindWords(
        "users-group",
        "People with links",
        "at least so many",
        "How many people have at least",
        tail="links",
    ),
    "degree-histogram": KindWords(
        "chart-histogram", "Spread of links", "histogram", "How many people have how many links"
    ),
    "average-links": KindWords(
        "math-function",
        "Average",
        "links per person",
        "How many links does a person have on average",
    ),
    "linear-regression": KindWords(
        "trending-up",
        "Line through points",
        "linear regression",
        "How does",
        between=("change with",),
    ),
    "logistic-regression": KindWords(
        "route",
        "Chance of a yes",
        "logistic regression",
        "How likely is",
        between=("to be", "depending on"),
    ),
}


def tiles_of(kinds: Sequence[str], tiles: Sequence[str]) -> list[str]:
    """Return the kinds shown first: the common ones and, if few fit, the next."""
    common = [kind for kind in kinds if kind in tiles]
    others = [kind for kind in kinds if kind not in common]
    return [*common, *others[: len(tiles) - len(common)]]


def question_kind_words(kind: str, label: str = "", tile: str = "") -> KindWords:
    """Return the words of a kind; those of the engine for a kind not listed here."""
    return KINDS.get(kind) or KindWords("question-mark", label, tile, f"{label}:")


def write_width(width: float) -> str:
    """Write a half width with three digits, never smaller than it is: 3, 0.0726, 1,250."""
    return width_words(width)


def write_wanted(width: float | None) -> str:
    """Write a half width as a form shows it; whole numbers that are exact lie within one half."""
    return "" if width is None else write_width(width or 0.5)


def write_factor(times: float) -> str:
    """Write by how much something is likelier at most, with two digits of what it is above 1."""
    above = width_words(times - 1) if times > 1 else "0"
    digits = max(len(above.partition(".")[2]) - 1, 2 if times < 10 else 1) if times < 100 else 0
    unit = 10**digits
    return f"{math.ceil(times * unit - 1e-9) / unit:,.{digits}f}"


def write_surest_guess(epsilon: float) -> str:
    """Write how sure somebody who would have tossed a coin gets by an answer at most."""
    percent = 100 / (1 + math.exp(-epsilon))
    if percent > 99.9:
        return f"over 99.9{NBSP}%"
    digits = 0 if percent >= 51 else 1 if percent >= 50.1 else 3
    return f"{math.ceil(percent * 10**digits - 1e-9) / 10**digits:.{digits}f}{NBSP}%"


def write_significant(number: float, of: float | None = None) -> str:
    """Write a number with the decimals that are significant given its uncertainty `of`."""
    if not math.isfinite(number):
        return "–"
    if float(number).is_integer() and abs(number) < 1e15:
        return f"{number:,.0f}".replace("-", MINUS)
    size = abs(of) if of else abs(number)
    decimals = 0 if size >= 100 else max(1, 2 - math.floor(math.log10(size))) if size else 3
    text = f"{number:,.{min(decimals, 9)}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if text in ("0", "-0") and number and not of:
        text = f"{number:.2g}"
    return text.replace("-", MINUS)


def sure_words(confidence: float) -> str:
    """Write a confidence as a number of answers."""
    known = {0.9: "Nine answers in ten", 0.95: "Nineteen answers in twenty"}
    return known.get(confidence, f"{confidence:.0%} of answers".replace("%", f"{NBSP}%"))


def cases_words(confidence: float) -> str:
    known = {0.9: "in 9 of 10 cases", 0.95: "in 19 of 20 cases", 0.99: "in 99 of 100 cases"}
    return known.get(confidence, f"in {confidence:.0%} of cases")
