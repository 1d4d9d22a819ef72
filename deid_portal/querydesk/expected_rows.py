"""About how many rows a question is about, which says how exact averages and the like can be.

Never read from the table: somebody types it, the steward declared it, or an answer that was paid
for told it. An answer has noise and is public to everybody who may ask, so using it again costs no
privacy. If none of this is there, an example shows the order of magnitude.
"""

from dataclasses import dataclass
from enum import StrEnum

from deid_portal.engine.differential import kinds_of, read_question
from deid_portal.engine.differential.setting import MOST_ROWS
from deid_portal.engine.errors import InvalidPlan
from deid_portal.querydesk.amounts import read_typed_number
from deid_portal.querydesk.models import Desk, Question, Terms
from deid_portal.querydesk.question_form import ComposedQuestion
from deid_portal.querydesk.selectors import best_answer

EXAMPLE = 1000
COUNT = "count"


class RowsSource(StrEnum):
    TYPED = "typed"
    DECLARED = "declared"
    COUNTED = "counted"
    EXAMPLE = "example"


@dataclass(frozen=True)
class ExpectedRows:
    """At least so many rows are supposed to fit, and who says so."""

    number: int
    source: RowsSource
    counted: Question | None = None

    @property
    def is_example(self) -> bool:
        return self.source is RowsSource.EXAMPLE

    @property
    def is_typed(self) -> bool:
        return self.source is RowsSource.TYPED

    @property
    def is_declared(self) -> bool:
        return self.source is RowsSource.DECLARED


def expect_rows(
    desk: Desk, terms: Terms, composition: ComposedQuestion, typed: str
) -> ExpectedRows:
    """Return how many rows to suppose; raises InvalidPlan if what was typed is no number."""
    if typed:
        number = read_typed_number(typed)
        if number is None or not 1 <= number <= MOST_ROWS:
            raise InvalidPlan("Say about how many fit: a whole number from 1 upwards.")
        return ExpectedRows(int(number), RowsSource.TYPED)
    counted = find_count(desk, terms, composition)
    if counted is not None:
        return counted
    size = composition.setting.size
    if size is not None and not composition.where:
        return ExpectedRows(size, RowsSource.DECLARED)
    return ExpectedRows(EXAMPLE, RowsSource.EXAMPLE)


def find_count(desk: Desk, terms: Terms, composition: ComposedQuestion) -> ExpectedRows | None:
    """Return the lowest number that the best stored count of the same rows allows.

    A count of the rows that have all that is asked about comes first, then one of all rows.
    """
    setting = composition.setting
    if COUNT not in kinds_of(setting):
        return None
    chosen = {entry["column"] for entry in composition.where}
    needed = [name for name in composition.columns if name not in chosen]
    present = [{"column": name, "missing": False} for name in needed]
    for where in ([*composition.where, *present], composition.where):
        count = read_question(setting, {"query": COUNT, "where": where, "epsilon": 1.0})
        found = best_answer(desk, terms, str(count.fingerprint()))
        if found is not None and found.answer:
            low, _ = found.answer["interval"]
            return ExpectedRows(max(int(low), 1), RowsSource.COUNTED, found)
    return None
