"""Answers that are published with a release: as a document, as files, in words.

Only the person who asked can publish an answer, since nobody else sees it. The document holds
stored data only, no wording, so its fingerprint does not change with the wording of pages. All
numbers are noisy.
"""

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import cached_property
from typing import Any

from django.db.models import Q, QuerySet

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.engine.files.csv.writer import neutralize
from deid_portal.engine.networks.questions.setting import relation_of
from deid_portal.querydesk.amounts import atto_of, delta_of, micro_of, shown
from deid_portal.querydesk.answer_cards import AnswerCard, csv_cell
from deid_portal.querydesk.models import Desk, Question
from deid_portal.querydesk.permissions import check_may_open
from deid_portal.querydesk.regression_charts import Row
from deid_portal.querydesk.vocabulary import write_significant
from deid_portal.runs.models import Run
from deid_portal.runs.promotion import promoted_run
from deid_portal.runs.selectors import runs_of
from deid_portal.web.refusals import refusal
from deid_portal.work.leases import WorkStatus

Document = dict[str, Any]
HEADER = (
    "number",
    "question",
    "what",
    "answer",
    "low",
    "high",
    "confidence",
    "epsilon",
    "delta",
    "neighbours",
)


def answers_to_hand_over(person: User, dataset: Dataset) -> QuerySet[Question]:
    """Return a person's answered questions about all versions of a dataset."""
    own = Question.objects.filter(
        desk__series=dataset.series, asked_by=person, status=WorkStatus.FINISHED
    )
    answered = own.filter(Q(repeat_of=None) | Q(repeat_of__status=WorkStatus.FINISHED))
    # An answer that was repeated for free is the same answer.
    return answered.exclude(repeat_of__asked_by=person).select_related(
        "terms__dataset", "repeat_of__terms__dataset"
    )


def run_to_go_with(person: User, desk: Desk) -> Run | None:
    """Return the run a steward would release next, so that answers can be added."""
    if refusal(check_may_open, person, desk.team):
        return None
    dataset = desk.current.dataset
    runs = runs_of(dataset).filter(
        status=Run.Status.FINISHED, solution=True, rows_deleted_at=None, requests=None
    )
    promoted = promoted_run(dataset)
    return (runs.filter(id=promoted.id) if promoted else runs.order_by("-number")).first()


def to_documents(questions: Iterable[Question]) -> list[Document]:
    """Describe answers in order, each once, however often it was repeated."""
    sources = {question.source.id: question.source for question in questions}
    found = sorted(sources.values(), key=lambda own: (own.finished_at or own.queued_at, own.id))
    return [_to_document(source) for source in found]


def _to_document(source: Question) -> Document:
    given = (source.finished_at or source.queued_at).astimezone(UTC)
    person = source.terms.setting.get("person")
    return {
        "id": str(source.id),
        "question": str(source.words),
        "answered_on": f"{given:%Y-%m-%d}",
        "table_version": source.terms.dataset.version,
        "terms": source.terms.number,
        # None: a row is protected
        "rows_per_person": person["rows"] if person else None,
        "answer": source.answer,
    }


def write_answers(documents: Sequence[Document]) -> str:
    """Write answers.json in canonical form."""
    return json.dumps(documents, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def fingerprint_of_answers(documents: Sequence[Document]) -> str:
    """Return the hash of answers.json; empty without answers."""
    return hashlib.sha256(write_answers(documents).encode()).hexdigest() if documents else ""


@dataclass(frozen=True)
class HandedAnswer:
    """A document of an answer, for pages."""

    document: Mapping[str, Any]

    @cached_property
    def card(self) -> AnswerCard:
        own = self.document
        question = Question(
            id=own["id"],
            kind=self.answer["query"],
            words=own["question"],
            document=self.answer["question"],
            answer=self.answer,
        )
        return AnswerCard(question)

    @property
    def answer(self) -> Mapping[str, Any]:
        answer: Mapping[str, Any] = self.document["answer"]
        return answer

    @property
    def words(self) -> str:
        return str(self.document["question"])

    @property
    def rows(self) -> list[Row]:
        return self.card.rows

    @property
    def shown_rows(self) -> list[tuple[str, ...]]:
        return [(label, *map(_written, cells)) for label, *cells in self.rows]

    @property
    def said(self) -> str:
        return self.card.in_short

    @property
    def price(self) -> str:
        delta = self.answer.get("delta")
        return f"ε {self.card.epsilon}" + (f", δ {delta:g}" if delta else "")

    @property
    def neighbour_words(self) -> str:
        """The neighbor relation: "one row is added or taken away"."""
        return relation_of(self.answer, self.document["rows_per_person"]).neighbour_words


def _written(cell: Any) -> str:
    if cell is None or isinstance(cell, str):
        return cell or ""
    return write_significant(cell)


def read_answers(documents: Iterable[Mapping[str, Any]]) -> list[HandedAnswer]:
    return [HandedAnswer(document) for document in documents]


def sum_prices(answers: Iterable[HandedAnswer]) -> list[str]:
    """Add up the prices, separately per neighbor relation."""
    epsilons: dict[str, int] = {}
    deltas: dict[str, int] = {}
    for own in answers:
        key = own.neighbour_words
        epsilons[key] = epsilons.get(key, 0) + micro_of(own.answer["epsilon"])
        deltas[key] = deltas.get(key, 0) + atto_of(own.answer.get("delta", 0))
    return [
        f"ε {shown(micro)}{f', δ {delta_of(deltas[key]):g}' if deltas[key] else ''} in all, "
        f"where {key}"
        for key, micro in epsilons.items()
    ]


def write_answers_csv(documents: Sequence[Mapping[str, Any]]) -> str:
    """Write one line per number, safe for spreadsheets."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for number, own in enumerate(read_answers(documents), start=1):
        answer = own.answer
        price = (answer.get("confidence"), answer["epsilon"], answer.get("delta", 0))
        for label, *cells in own.rows:
            line = [neutralize(own.words), neutralize(label), *map(csv_cell, cells)]
            writer.writerow([number, *line, *price, own.neighbour_words])
    return text.getvalue()
