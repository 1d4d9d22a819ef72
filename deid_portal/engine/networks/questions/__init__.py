"""Private questions about a network, answered by the mechanisms of those about tables.

What an answer protects is chosen beforehand: every link, or every person with all links. If it is
persons, a person is a row of the node table, and all questions about tables can be asked.
"""

from collections.abc import Mapping
from typing import Any

from deid_portal.engine.differential import QUESTIONS, kinds_of, read_question
from deid_portal.engine.differential.question import PrivateQuestion, parse_with
from deid_portal.engine.documents import Place
from deid_portal.engine.networks.questions.setting import (
    NetworkSetting,
    ProtectedUnit,
    read_setting,
)
from deid_portal.engine.registry import Registry

NETWORK_QUESTIONS: Registry[PrivateQuestion] = Registry(
    __name__,
    {
        "links": "links.Links",
        "people-with-links": "people_with_links.PeopleWithLinks",
        "degree-histogram": "degree_histogram.DegreeHistogram",
        "average-links": "average_links.AverageLinks",
    },
)
__all__ = [
    "NETWORK_QUESTIONS",
    "NetworkSetting",
    "ProtectedUnit",
    "kinds_of",
    "parse_network_question",
    "read_setting",
]


@kinds_of.register
def _kinds_about_network(setting: NetworkSetting) -> dict[str, type[PrivateQuestion]]:
    own = {kind: NETWORK_QUESTIONS[kind] for kind in NETWORK_QUESTIONS}
    if setting.averages_by_size and setting.size is None:
        del own["average-links"]
    if not setting.answers_about_tables:
        return own
    return own | {kind: QUESTIONS[kind] for kind in QUESTIONS}


def parse_network_question(
    document: Mapping[str, Any] | Place, setting: NetworkSetting
) -> PrivateQuestion:
    """Read a question about a network; raises InvalidPlan with one sentence."""
    place = document if isinstance(document, Place) else Place(document)
    place.check_object()
    if place["query"].value in QUESTIONS and not setting.answers_about_tables:
        place["query"].refuse(_why_no_table(setting))
    return parse_with({**NETWORK_QUESTIONS, **QUESTIONS}, place, setting)


@read_question.register
def _read_network_question(setting: NetworkSetting, document: Mapping[str, Any]) -> PrivateQuestion:
    return parse_network_question(document, setting)


def _why_no_table(setting: NetworkSetting) -> str:
    if setting.protects is ProtectedUnit.LINKS:
        return (
            "this asks about people alone, and only links are protected here, so its answer would "
            "protect nobody; ask about links."
        )
    return "this asks about the table of people, and people are known by their links alone here."
