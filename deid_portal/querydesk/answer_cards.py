"""A stored answer as a page shows it: the number, its interval in words and drawn, how to read it.

Everything here is made of the noisy answer. The exact one is not stored.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils import timezone

from deid_portal.engine.differential import PrivateQuestion
from deid_portal.engine.files.csv.writer import neutralize
from deid_portal.querydesk.amounts import shown
from deid_portal.querydesk.answer_charts import chart_of
from deid_portal.querydesk.models import Question
from deid_portal.querydesk.prices import kind_named
from deid_portal.querydesk.regression_charts import AnswerChart, Row
from deid_portal.querydesk.vocabulary import cases_words, question_kind_words, write_significant

NEIGHBOUR_WORDS = {
    "add_remove": "neighbors by adding or removing one",
    "replace": "neighbors by replacing one",
    "links": "neighbors by adding or removing one link",
    "people": "neighbors by adding or removing one person with all links",
}


@dataclass(frozen=True)
class IntervalLine:
    """An interval on an axis, in the units of a drawing 560 wide."""

    low: float
    middle: float
    high: float
    ticks: list[tuple[float, str]]

    @classmethod
    def draw(cls, value: float, low: float, high: float) -> "IntervalLine | None":
        half = (high - low) / 2
        if half <= 0:
            return None
        start = min(low, value) - 1.5 * half
        scale = 520 / (max(high, value) + 1.5 * half - start)

        def place(number: float) -> float:
            return round(20 + (number - start) * scale, 1)

        middle = (low + high) / 2
        marks = [middle + step * half for step in (-2, -1, 0, 1, 2)]
        ticks = [(place(mark), write_significant(mark, of=half)) for mark in marks]
        shown_ticks = [tick for tick in ticks if 20 <= tick[0] <= 540]
        return cls(place(low), place(value), place(high), shown_ticks)


@dataclass(frozen=True)
class AnswerCard:
    """A question of a person with the contents of its card."""

    question: Question

    @cached_property
    def answer(self) -> Mapping[str, Any]:
        return self.question.source.answer or {}

    @property
    def words(self) -> str:
        return str(self.question.words)

    @property
    def icon(self) -> str:
        return question_kind_words(self.question.kind).icon

    @property
    def is_open(self) -> bool:
        return self.question.source.is_open

    @property
    def has_answer(self) -> bool:
        return bool(self.answer)

    @property
    def problem(self) -> str:
        return self.question.source.problem

    @property
    def price(self) -> str:
        return "free" if self.question.is_free else f"cost ε {shown(self.question.price_micro)}"

    @property
    def number(self) -> str:
        """The number or value of an answer that is a single one."""
        if "value" not in self.answer:
            return ""
        value = self.answer["value"]
        if isinstance(value, int | float) and not isinstance(value, bool):
            return write_significant(value, of=self._half_width)
        return str(value)

    @property
    def interval(self) -> tuple[float, float] | None:
        found = self.answer.get("interval")
        return (found[0], found[1]) if isinstance(found, Sequence) and len(found) == 2 else None

    @property
    def _half_width(self) -> float | None:
        return (self.interval[1] - self.interval[0]) / 2 if self.interval else None

    @property
    def interval_words(self) -> tuple[str, str, str] | None:
        """Low, high and the confidence of the interval, in words."""
        if self.interval is None:
            return None
        low, high = (write_significant(end, of=self._half_width) for end in self.interval)
        return low, high, cases_words(float(self.answer.get("confidence", 0.95)))

    @property
    def is_exact(self) -> bool:
        """Whether ε was so large that hardly any noise is left."""
        return self.interval is not None and self.interval[0] == self.interval[1]

    @property
    def line(self) -> IntervalLine | None:
        value = self.answer.get("value")
        if self.interval is None or not isinstance(value, int | float):
            return None
        return IntervalLine.draw(float(value), *self.interval)

    @property
    def kind(self) -> type[PrivateQuestion]:
        return kind_named(self.question.kind)

    @property
    def is_negative(self) -> bool:
        value = self.answer.get("value")
        return self.kind.is_count and isinstance(value, int | float) and value < 0

    @property
    def is_too_few(self) -> bool:
        """Whether the interval includes zero people."""
        return self.kind.is_count and bool(self.interval and self.interval[0] <= 0)

    @cached_property
    def chart(self) -> AnswerChart | None:
        return chart_of(self.question.source, self.answer) if self.has_answer else None

    @property
    def notes(self) -> list[str]:
        return list(self.answer.get("notes", []))

    @property
    def sentence(self) -> str:
        return str(self.answer.get("sentence", ""))

    @property
    def mechanism(self) -> str:
        return str(self.answer.get("mechanism", ""))

    @property
    def epsilon(self) -> str:
        return f"{self.answer.get('epsilon', 0):g}"

    @property
    def citation(self) -> str:
        """What to write where the answer is used."""
        source = self.question.source
        dataset, answer = source.terms.dataset, self.answer
        asked = timezone.localtime(source.finished_at or source.queued_at)
        delta = f", δ = {answer['delta']:g}" if answer.get("delta") else ""
        return (
            f"{self.words} {self._said} Differentially private answer of {asked:%-d %b %Y}: "
            f"ε = {answer.get('epsilon', 0):g}{delta}, "
            f"{self._neighbours}, {self.mechanism} noise. "
            f"{dataset.name}, {dataset.version_number}, terms {source.terms.number}, "
            f"question {str(source.id)[:8]}."
        )

    @property
    def _neighbours(self) -> str:
        relation = str(self.answer.get("protects") or self.answer.get("neighbours"))
        bound = self.answer.get("bound")
        counted = f", at most {bound:,} links per person counted" if bound else ""
        return f"{NEIGHBOUR_WORDS.get(relation, '')}{counted}"

    @property
    def in_short(self) -> str:
        """The answer in a line: one number with its interval, or how many numbers there are."""
        if not self.number:
            return f"{len(self.rows):,} numbers"
        if self.interval_words is None:
            return self.number
        low, high, _ = self.interval_words
        return f"{self.number} ({low} to {high})"

    @property
    def true_words(self) -> str:
        """The name of the true value that the interval is for."""
        if self.answer.get("bound") and (self.kind.is_count or self.kind.answer_unit == "links"):
            return f"The true number, with at most {self.answer['bound']:,} links per person,"
        return "The true count" if self.kind.is_count else "The true value"

    @property
    def _said(self) -> str:
        if self.number and self.interval_words:
            low, high, _ = self.interval_words
            return f"{self.number} (95 % interval {low} to {high})."
        return f"{self.number}." if self.number else self.sentence

    def to_csv(self) -> str:
        """The noisy numbers with their intervals, and what they mean in the last columns."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["what", "answer", "low", "high", "epsilon", "question"])
        words = neutralize(self.words)
        for label, value, low, high in self.rows:
            row = [neutralize(label), csv_cell(value), csv_cell(low), csv_cell(high)]
            writer.writerow([*row, self.epsilon, words])
        return text.getvalue()

    @property
    def rows(self) -> list[Row]:
        """All numbers of the answer: the single one, and those of its chart."""
        low, high = self.interval or ("", "")
        one: list[Row] = [("answer", self.answer.get("value", ""), low, high)]
        if self.chart is None:
            return one
        return [*(one if "value" in self.answer else []), *self.chart.rows]


def csv_cell(value: Any) -> Any:
    return neutralize(value) if isinstance(value, str) else value
