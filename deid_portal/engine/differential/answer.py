"""Answering a question about a table.

What must never happen: anything is returned but noisy numbers that the price pays for. The exact
answer exists within this call only, no message depends on a cell, and a question that can be parsed
is always answered, however few rows it concerns; a refusal would reveal something.
"""

from dataclasses import dataclass
from typing import Any

from deid_portal.engine.differential.noise.forecast import NoiseForecast
from deid_portal.engine.differential.noise.noisy_result import NoisyResult
from deid_portal.engine.differential.question import PrivateQuestion
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.documents import Place
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.table.table import Table


@dataclass(frozen=True)
class PrivateAnswer:
    """A question, what was forecast for it, and the noisy result."""

    question: PrivateQuestion
    forecast: NoiseForecast
    reading: NoisyResult

    def to_document(self) -> dict[str, Any]:
        price = self.question.price
        return {
            "query": self.question.kind,
            "question": self.question.to_document(),
            **self.reading.result,
            "confidence": self.forecast.confidence,
            "mechanism": self.forecast.mechanism,
            "sensitivity": self.forecast.sensitivity,
            "scale": self.forecast.scale,
            **price.to_document(),
            **self.question.setting.relation(),
            "sentence": self.reading.sentence,
            "notes": [*self.forecast.assumptions, *self.reading.notes],
            **self.reading.details,
        }


def answer(
    table: Table, question: PrivateQuestion, progress: ProgressCallback | None = None
) -> PrivateAnswer:
    """Answer one question with noise; the caller must have charged its price before."""
    check_columns(table, question)
    told = Progress(progress)
    told.report(0, 1, "answer")
    rows = SelectedRows.choose(table, question.setting, question.where, question.columns)
    reading = question.ask(rows, told)
    told.report(1, 1, "answer")
    return PrivateAnswer(question, question.forecast(), reading)


def check_columns(table: Table, question: PrivateQuestion) -> None:
    """Refuse columns the table does not have; their names are no secret."""
    for name in question.columns:
        if name not in table:
            Place({}, "domains")[name].refuse("the table has no column of this name.")
