"""Worst-case neighboring tables of each kind of question, for the auditor.

On these the privacy loss of correct noise reaches ε, or the stated share of it, the largest of all
neighbors; so a mutant with half the noise exceeds ε, which the auditor can detect.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from deid_portal.engine import Table
from deid_portal.engine.differential import PrivacySetting, PrivateQuestion
from tests.engine.differential.questions import NAMES, NEIGHBOURS, ask, setting

Row = tuple[str | None, ...]
# Runs: enough for half the noise to be found, computed from the chances of the best events; more
# for Gaussian noise, and where a loss is spread over several noises.
FEW, SEVERAL, MANY = 2200, 6500, 10_500
DELTA = 0.01


def row(
    age: float | None = None,
    pay: float | None = None,
    sex: str = "",
    ward: str = "",
    day: str = "",
) -> Row:
    texts = ["" if number is None else f"{number:g}" for number in (age, pay)]
    return tuple(text or None for text in (*texts, sex, ward, day))


NOBODY = row()
HIGH = row(100, 1000, "F", "A", "2022-02-03")
LOW = row(0, -50.5, "M", "B", "2020-11-15")
Rest = Callable[[int], list[Row]]


def nobody_else(rows: int) -> list[Row]:
    return []


@dataclass(frozen=True)
class Case:
    """A question, and a person with all the rows they may have who comes, or comes for another.

    `rest` are the others, given how many rows a person may have.
    """

    kind: str
    entry: dict[str, Any]
    neighbours: str
    rest: Rest = nobody_else
    came: Row = HIGH
    gone: Row = LOW
    draws: int = FEW
    epsilon: float = 3.0
    is_capped: bool = True  # tried with two rows a person as well
    by_cap: bool = True  # two rows a person need twice the noise of one
    by_relation: bool = False  # someone replaced needs twice the noise of someone added
    part: int | None = None  # which of several noises is judged by its own part of the price

    def __str__(self) -> str:
        extras = [str(self.entry[key]) for key in ("variant", "mechanism") if key in self.entry]
        part = [] if self.part is None else [f"part{self.part}"]
        return "-".join([self.kind, *extras, *part, self.neighbours])

    def setting(self, **changes: Any) -> PrivacySetting:
        return setting(self.neighbours, **{"delta": DELTA, **changes})

    def question(self, own: PrivacySetting) -> PrivateQuestion:
        return ask(self.kind, self.entry, own, self.epsilon)

    def tables(self, own: PrivacySetting) -> tuple[Table, Table]:
        """Return the pair; a person has more rows than count where only some of them do."""
        kept = own.rows_per_person
        rows = kept + 2 if own.person else 1
        rest: list[list[str | None]] = [
            [f"r{number}", *cells] for number, cells in enumerate(self.rest(kept))
        ]
        gone = [["x", *self.gone]] * rows if own.replaces else []
        return (
            Table.from_rows(NAMES, [*rest, *gone]),
            Table.from_rows(NAMES, [*rest, *[["x", *self.came]] * rows]),
        )


def all_cases() -> Iterator[Case]:
    for neighbours in NEIGHBOURS:
        yield from counts(neighbours)
        yield from numbers(neighbours)
        yield from ranks(neighbours)
    yield from lines()


def counts(neighbours: str) -> Iterator[Case]:
    where = {"where": [{"column": "sex", "is": ["F"]}]}
    yield Case("count", where, neighbours)
    yield Case("count", {**where, "mechanism": "laplace"}, neighbours)
    yield Case("count", {**where, "mechanism": "gaussian"}, neighbours, draws=SEVERAL)
    yield Case("count-by-group", {"column": "ward"}, neighbours, by_relation=True)
    gaussian = {"column": "sex", "mechanism": "gaussian"}
    yield Case("count-by-group", gaussian, neighbours, draws=SEVERAL, is_capped=False)
    four = {"column": "age", "buckets": 4}
    yield Case("histogram", four, neighbours, by_relation=True)
    edges = {"column": "age", "edges": [0, 18, 65, 100], "mechanism": "laplace"}
    yield Case("histogram", edges, neighbours, by_relation=True)
    yield Case("histogram-mean", four, neighbours, by_relation=True)
    yield Case("contingency", {"by": ["sex", "ward"]}, neighbours, by_relation=True)
    yield Case("count-by-period", {"column": "day"}, neighbours, by_relation=True)
    # The rare value becomes as common as the other one.
    for mechanism in ("noisy-max", "exponential"):
        entry = {"column": "sex", "mechanism": mechanism}
        rest = lambda rows: [LOW] * rows  # noqa: E731
        yield Case("most-common", entry, neighbours, rest, epsilon=2.0, by_relation=True)


def numbers(neighbours: str) -> Iterator[Case]:
    is_added = neighbours == "add_remove"
    age = {"column": "age"}
    yield Case("sum", {"column": "pay"}, neighbours)
    gaussian = {**age, "mechanism": "gaussian"}
    yield Case("sum", gaussian, neighbours, draws=SEVERAL, is_capped=False)
    # Sum and count share ε; when somebody is replaced, not both change as much as they can: ¾.
    runs = 3000 if is_added else SEVERAL
    yield Case("mean", {"column": "pay"}, neighbours, gone=NOBODY, draws=runs)
    # Gaussian noises of half the price each lose less than the price together, so one by one.
    for part, gone in enumerate((LOW, NOBODY)):
        common = {"draws": SEVERAL, "epsilon": 4.0, "is_capped": False}
        yield Case("mean", gaussian, neighbours, gone=gone, part=part, **common)
    size, low = 20, row(0)
    bounded = {**age, "variant": "bounded-size", "size": size}
    yield Case("mean", bounded, neighbours, lambda rows: [low] * (size - rows * (not is_added)))
    # Within 40 to 60 one row moves a mean of two by all of it, whatever a person may have.
    truncated = {**age, "variant": "truncated", "lowest": 40, "highest": 60}
    two = lambda rows: [row(40)] * (1 + is_added)  # noqa: E731
    yield Case("mean", {**truncated, "size": 2}, neighbours, two, by_cap=False)
    one = (lambda rows: [row(30)]) if is_added else nobody_else
    yield Case("mean", truncated, neighbours, one, by_cap=False)
    if not is_added:
        half = lambda rows: [row(100 * (number % 2)) for number in range(size - 2 * rows)]  # noqa: E731
        rest = lambda rows: [*half(rows), *[row(50)] * rows]  # noqa: E731
        yield Case("mean", {**truncated, "size": size}, neighbours, rest)
    # Three parts, which change all at once only when somebody is added.
    if is_added:
        yield Case("variance", age, neighbours, draws=4000)
    else:
        for part, gone in enumerate((LOW, row(50), NOBODY)):
            yield Case("variance", age, neighbours, gone=gone, epsilon=6.0, part=part)


def ranks(neighbours: str) -> Iterator[Case]:
    """All others are at one number: few candidates lie above it, and somebody comes above them."""
    is_added = neighbours == "add_remove"
    most = row(98 if is_added else 90)
    runs = 6000 if is_added else 3500
    common = (neighbours, lambda rows: [most] * rows, HIGH, LOW, runs)
    # Either mechanism under either relation, with a median or with a quantile.
    first, second = ("noisy-max", "exponential")[:: 1 if is_added else -1]
    entry = {"column": "age", "interval": "ranks"}
    yield Case("median", {**entry, "mechanism": first}, *common, epsilon=2.0, by_relation=True)
    # Other quantiles tell more of other tables; each is judged by its own part of the price.
    entry = {**entry, "quantiles": [0.25, 0.5], "mechanism": second}
    yield Case("quantiles", entry, *common, epsilon=4.0, part=1, is_capped=False)
    # With an interval a quarter of ε chooses each end. At this ε the lower end aims four rows too
    # low, or eight; with twice as many more above, it aims where the median did.
    entry = {"column": "age", "interval": "values"}
    more = [HIGH] * (8 if is_added else 16)
    rest = lambda rows: [*[most] * rows, *more * rows]  # noqa: E731
    yield Case(
        "median", entry, neighbours, rest, HIGH, LOW, runs, epsilon=8.297, part=1, is_capped=False
    )


def lines() -> Iterator[Case]:
    """All products change as much as they can when a row comes where none was."""
    entry = {"target": "pay", "features": ["age"]}
    yield Case("linear-regression", entry, "add_remove", draws=MANY, is_capped=False)
    yield Case("linear-regression", entry, "replace", gone=NOBODY, draws=MANY, is_capped=False)
    gaussian = {**entry, "mechanism": "gaussian"}
    yield Case("linear-regression", gaussian, "add_remove", draws=SEVERAL, is_capped=False)
    # Turning one column round changes all its products with others by 2: √8 of 3 at most.
    yield Case("linear-regression", gaussian, "replace", gone=row(0, 1000), draws=9000)


CASES = list(all_cases())
