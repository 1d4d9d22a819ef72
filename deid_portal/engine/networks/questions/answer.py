"""Answering questions about a network; what must never happen is the same as for tables.

A question that can be parsed and fits the files is answered, however few people or links it is
about.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deid_portal.engine.differential.answer import PrivateAnswer
from deid_portal.engine.differential.plan import (
    QueryPlan,
    load_document,
    read_queries,
    report_of,
)
from deid_portal.engine.differential.question import PrivateQuestion
from deid_portal.engine.documents import PLAN_VERSION, Place
from deid_portal.engine.networks.network import Network
from deid_portal.engine.networks.plan import parse_directed
from deid_portal.engine.networks.questions import parse_network_question
from deid_portal.engine.networks.questions.people import PeopleRows, check_network
from deid_portal.engine.networks.questions.setting import PRIVACY_KEYS, NetworkSetting
from deid_portal.engine.progress import Progress, ProgressCallback


def answer_about_network(
    network: Network, question: PrivateQuestion, progress: ProgressCallback | None = None
) -> PrivateAnswer:
    """Answer one question with noise; the caller must have charged its price before."""
    told = Progress(progress)
    told.report(0, 1, "answer")
    reading = question.ask(PeopleRows.choose_from(network, question), told)
    told.report(1, 1, "answer")
    return PrivateAnswer(question, question.forecast(), reading)


@dataclass(frozen=True)
class NetworkQueryPlan(QueryPlan):
    """{"plan": 1, "network": …, "privacy": …, "domains": …, "queries": […]}."""

    directed: bool = False
    id_column: str | None = None

    @classmethod
    def from_document(cls, document: Any) -> "NetworkQueryPlan":
        """Read a plan, refusing anything unknown; raises InvalidPlan with the place."""
        place = Place(document)
        place.check_keys(required=("plan", "network", "privacy", "queries"), optional=("domains",))
        if place["plan"].value != PLAN_VERSION or isinstance(place["plan"].value, bool):
            place["plan"].refuse(f"version {PLAN_VERSION} is accepted.")
        place["privacy"].check_keys(("protects",), PRIVACY_KEYS)
        domains = place["domains"] if "domains" in place else Place({}, "domains")
        setting = NetworkSetting.parse(place["privacy"], domains)
        questions = [parse_network_question(item, setting) for item in read_queries(place)]
        return cls(
            setting,
            tuple(questions),
            directed=parse_directed(place["network"]),
            id_column=place["network"]["id"].text() if "id" in place["network"] else None,
        )

    def to_document(self) -> dict[str, Any]:
        network: dict[str, Any] = {"directed": self.directed}
        if self.id_column is not None:
            network["id"] = self.id_column
        return {**super().to_document(), "network": network}


def load_network_query_plan(path: Path) -> NetworkQueryPlan:
    return NetworkQueryPlan.from_document(load_document(path))


def answer_network_plan(
    network: Network, plan: NetworkQueryPlan, progress: ProgressCallback | None = None
) -> dict[str, Any]:
    """Answer every question of a plan and return the report."""
    for question in plan.questions:
        check_network(network, question)
    answers: Sequence[PrivateAnswer] = [
        answer_about_network(network, question, progress) for question in plan.questions
    ]
    return report_of(plan, answers)
