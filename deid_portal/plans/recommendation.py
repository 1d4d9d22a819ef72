"""Recommending a method for a table, with the reason, from facts known before a run."""

from dataclasses import dataclass, field
from math import comb
from typing import Any

from django.db.models import TextChoices

from deid_portal.engine.methods import METHODS
from deid_portal.engine.search.optimum import LARGEST_PROVABLE_LATTICE

# With more columns, one level per column leaves hardly any detail.
MANY_COLUMNS = 12
# Measured on the demo's table: 126 combinations take Mondrian 3 seconds, full-domain many minutes.
MANY_COMBINATIONS_OF_FACTS = 300


class Purpose(TextChoices):
    COUNTS = "counts", "Counts and tables"
    NUMBERS = "numbers", "Statistics on numbers"
    CLASSIFIER = "classifier", "Training a classifier"
    TESTING = "testing", "Testing software"


@dataclass(frozen=True)
class TableFacts:
    """The facts a recommendation depends on, known without loading the table."""

    quasi_identifiers: int
    numeric: int  # quasi-identifiers that are numbers or dates
    combinations: int  # of levels
    facts_known: int = 0  # quasi-identifiers an attacker may know at once
    class_column: str = ""  # what a classifier would learn

    @property
    def knows_everything(self) -> bool:
        return self.facts_known >= self.quasi_identifiers


@dataclass(frozen=True)
class MethodRecommendation:
    method: str
    reason: str
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return METHODS[self.method].title


def recommend_method(facts: TableFacts, purpose: str) -> MethodRecommendation:
    """Return the method to propose; the first line that fits decides."""
    if purpose == Purpose.CLASSIFIER and facts.class_column:
        return MethodRecommendation(
            "top-down",
            f"It refines first whatever tells the values of {facts.class_column} apart, which is "
            "what a classifier learns from.",
            {"score": "information-gain", "class_column": facts.class_column},
        )
    if not facts.knows_everything:
        return _for_partial_knowledge(facts)
    if facts.quasi_identifiers > MANY_COLUMNS:
        return MethodRecommendation(
            "mondrian",
            f"With {facts.quasi_identifiers} quasi-identifiers one level for everybody leaves "
            "little; every group gets ranges of its own instead.",
        )
    if purpose == Purpose.NUMBERS and facts.numeric == facts.quasi_identifiers:
        return MethodRecommendation(
            "microaggregation",
            "All quasi-identifiers are numbers or dates; groups of similar people show their "
            "average, so means stay as they are.",
        )
    if purpose == Purpose.NUMBERS and 2 * facts.numeric > facts.quasi_identifiers:
        return MethodRecommendation(
            "mondrian",
            f"{facts.numeric} of {facts.quasi_identifiers} quasi-identifiers are numbers or dates; "
            "ranges cut where the people are keep averages closer than fixed intervals.",
        )
    return MethodRecommendation("full-domain", _why_full_domain(facts, purpose))


def _for_partial_knowledge(facts: TableFacts) -> MethodRecommendation:
    """Recommend for models that check every combination of so many columns."""
    combinations = comb(facts.quasi_identifiers, facts.facts_known)
    why = f"A rule about any {facts.facts_known} facts has to hold on {combinations:,} combinations"
    if combinations > MANY_COMBINATIONS_OF_FACTS:
        return MethodRecommendation(
            "top-down", f"{why} of columns; top-down recounts only what a step has changed."
        )
    return MethodRecommendation(
        "mondrian", f"{why} of columns; Mondrian asks it of every cut and keeps the most detail."
    )


def _why_full_domain(facts: TableFacts, purpose: str) -> str:
    if facts.combinations > LARGEST_PROVABLE_LATTICE:
        return (
            "A column means the same in every row. There are too many combinations of levels to "
            "prove the best, so the search stops at its time limit with the best it found."
        )
    if purpose == Purpose.TESTING:
        return (
            "A column has the same form in every row, so software under test meets one format "
            f"each; the best of {facts.combinations:,} combinations of levels is found."
        )
    return (
        f"A column means the same in every row, which suits counts, and the best of "
        f"{facts.combinations:,} combinations of levels is found and proved."
    )
