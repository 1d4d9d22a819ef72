"""Everything a person may choose or see of a network is said in words."""

from deid_portal.engine.networks.attacks.trials import NETWORK_ATTACKS, AddedLinks
from deid_portal.engine.networks.knowledge.knowledge import Knowledge
from deid_portal.engine.networks.methods import NETWORK_METHODS
from deid_portal.engine.parameters import Choice
from deid_portal.engine.wording.knowledge import KNOWLEDGE_PHRASES, KNOWLEDGE_TITLES
from deid_portal.networks.vocabulary import (
    CHOICE_WORDS,
    CHOICE_WORDS_OF,
    KNOWLEDGE_WORDS,
    PARAMETER_WORDS,
)
from deid_portal.reports.network_pages import ATTACK_WORDS

DECLARED = [own for kind in NETWORK_METHODS.values() for own in kind.parameters]


def test_every_knowledge_has_words() -> None:
    for words in (KNOWLEDGE_WORDS, KNOWLEDGE_TITLES, KNOWLEDGE_PHRASES):
        assert set(words) == {known.value for known in Knowledge}


def test_every_parameter_has_words() -> None:
    asked_apart = {"k", "epsilon"}
    assert set(PARAMETER_WORDS) == {own.name for own in DECLARED} - asked_apart


def test_every_choice_has_words() -> None:
    choices = [word for own in DECLARED if isinstance(own, Choice) for word in own.choices]
    assert set(CHOICE_WORDS) == set(choices)
    offered = {
        (name, word)
        for name, kind in NETWORK_METHODS.items()
        for own in kind.parameters
        if isinstance(own, Choice)
        for word in own.choices
    }
    assert set(CHOICE_WORDS_OF) <= offered


def test_every_attack_of_a_report_has_words() -> None:
    told_apart = {AddedLinks.name}
    told = {f"network-{name}" for name in ATTACK_WORDS}
    assert told == set(NETWORK_ATTACKS) - told_apart
