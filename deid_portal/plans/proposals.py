"""From plain answers to the models and the method of a plan."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.db.models import TextChoices

from deid_portal.engine.methods import METHODS
from deid_portal.plans.amounts import ShownAs, methods_showing, shown_by
from deid_portal.plans.guidelines import Audience
from deid_portal.plans.recommendation import (
    MethodRecommendation,
    Purpose,
    TableFacts,
    recommend_method,
)

Rules = list[dict[str, Any]]
USUALLY_LEFT_OUT = 0.05  # what the question starts with


class Harm(TextChoices):
    """The kinds of harm by a sensitive column."""

    NOTHING = "nothing", "Nothing: knowing it harms nobody"
    GUESS = "guess", "Somebody guesses it right"
    SAME = "same", "A whole group turns out to have the same"
    SKEW = "skew", "A group stands out from everybody else"
    # Of amounts, of which hardly two are the same.
    NEAR = "near", "Somebody guesses it nearly right"
    SPREAD = "spread", "A whole group turns out to have nearly the same"


# Of look-alikes no more than one in so many may have nearly the same amount; half of them.
NEAR_AT_MOST_ONE_IN = 2
DIFFERENT_AMOUNTS = 3


@dataclass(frozen=True)
class Worry:
    """The harm to prevent for one sensitive column, and its limit."""

    harm: str
    # Share of right guesses, different values, distance, or how far apart amounts must lie.
    amount: float = 0.0
    distance: str = "equal"  # what a group that stands out is measured with


@dataclass(frozen=True)
class Answers:
    """The answers to the questions in plain words."""

    k: int
    facts_known: int
    left_out: float  # share of the rows
    worries: Mapping[str, Worry] = field(default_factory=dict)  # by sensitive column
    audience: str = Audience.PARTNERS
    purpose: str = Purpose.COUNTS
    class_column: str = ""
    metric: str = "loss"
    method: str = ""  # name of a method; empty: the recommended one
    shown: Mapping[str, ShownAs] = field(default_factory=dict)  # by sensitive column, if not exact

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "Answers":
        worries = {name: Worry(**worry) for name, worry in document["worries"].items()}
        shown = {name: ShownAs(**own) for name, own in document.get("shown", {}).items()}
        return cls(**{**document, "worries": worries, "shown": shown})

    def to_document(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class ProtectionProposal:
    """The models and the method that follow from the answers."""

    rules: Rules
    method: dict[str, Any] | list[dict[str, Any]]
    recommendation: MethodRecommendation


def propose_protection(answers: Answers, table: TableFacts) -> ProtectionProposal:
    facts = replace(table, facts_known=answers.facts_known, class_column=answers.class_column)
    recommendation = recommend_method(facts, answers.purpose)
    return ProtectionProposal(
        rules=[*_about_identity(answers, facts), *_about_values(answers, facts)],
        method=_methods(answers, recommendation),
        recommendation=recommendation,
    )


def _about_identity(answers: Answers, facts: TableFacts) -> Rules:
    """Return the rules about look-alikes.

    Against intruders who know only some facts, that is LKC-privacy, which also limits guesses;
    without guesses to limit, (k,l)-anonymity.
    """
    if facts.knows_everything:
        return [{"model": "k-anonymity", "k": answers.k}]
    by_share: dict[float, list[str]] = {}
    for column, share in guesses_of(answers).items():
        by_share.setdefault(share, []).append(column)
    if not by_share:
        return [{"model": "k-l-anonymity", "k": answers.k, "l": answers.facts_known}]
    return [
        {
            "model": "lkc-privacy",
            "L": answers.facts_known,
            "K": answers.k,
            "C": share,
            "values": dict.fromkeys(columns),
        }
        for share, columns in by_share.items()
    ]


def _about_values(answers: Answers, facts: TableFacts) -> Rules:
    rules: Rules = []
    for column, worry in answers.worries.items():
        if worry.harm == Harm.GUESS and facts.knows_everything:
            rules.append({"model": "confidence-bounding", "h": worry.amount, "column": column})
        elif worry.harm == Harm.SAME:
            variant = {"variant": "distinct", "l": int(worry.amount)}
            rules.append({"model": "l-diversity", **variant, "column": column})
        elif worry.harm == Harm.SKEW:
            rule = {"model": "t-closeness", "t": worry.amount, "column": column}
            rules.append(
                rule if worry.distance == "equal" else {**rule, "distance": worry.distance}
            )
        elif worry.harm == Harm.NEAR:
            near = {"epsilon": worry.amount, "m": NEAR_AT_MOST_ONE_IN}
            rules.append({"model": "epsilon-m-anonymity", **near, "column": column})
        elif worry.harm == Harm.SPREAD:
            apart = {"k": _different_amounts(answers), "e": worry.amount}
            rules.append({"model": "k-e-anonymity", **apart, "column": column})
    return rules


def _different_amounts(answers: Answers) -> int:
    return min(DIFFERENT_AMOUNTS, answers.k)


def guesses_of(answers: Answers) -> dict[str, float]:
    """Return, per sensitive column that may be guessed, how often a guess may be right."""
    return {
        column: worry.amount
        for column, worry in answers.worries.items()
        if worry.harm == Harm.GUESS
    }


def _methods(
    answers: Answers, recommendation: MethodRecommendation
) -> dict[str, Any] | list[dict[str, Any]]:
    """Return the method, after those that show sensitive columns coarser."""
    first = methods_showing(answers.shown)
    method = _method(answers, recommendation)
    return [*first, method] if first else method


def _method(answers: Answers, recommendation: MethodRecommendation) -> dict[str, Any]:
    name = answers.method or recommendation.method
    parameters = recommendation.parameters if name == recommendation.method else {}
    if METHODS[name].searches_all_levels:
        parameters = {"suppression_limit": answers.left_out, "metric": answers.metric}
    elif name == "microaggregation":
        parameters = {"k": answers.k}
    return {"name": name, **parameters}


def understand(
    rules: Rules, method: dict[str, Any] | list[dict[str, Any]], facts: TableFacts
) -> Answers | None:
    """Return the answers that lead to this plan, or None if there are none."""
    *before, last = method if isinstance(method, list) else [method]
    if not rules:
        return None
    worries: dict[str, Worry] = {}
    first, *others = rules
    known = facts.quasi_identifiers
    match first:
        case {"model": "k-anonymity", "k": k}:
            pass
        case {"model": "k-l-anonymity", "k": k, "l": known}:
            pass
        case {"model": "lkc-privacy", "K": k, "L": known}:
            others = rules
        case _:
            return None
    for rule in others:
        worries |= _worries_of(rule)
    class_column = last.get("class_column", "")
    for name in ("", last["name"]):  # the recommended one first
        answers = Answers(
            k=k,
            facts_known=known,
            left_out=last.get("suppression_limit", USUALLY_LEFT_OUT),
            worries=worries,
            metric=last.get("metric", "loss"),
            method=name,
            shown=shown_by(before),
            class_column=class_column,
            purpose=Purpose.CLASSIFIER if class_column else Purpose.COUNTS,
        )
        if expresses(answers, rules, method, facts):
            return answers
    return None


def _worries_of(rule: dict[str, Any]) -> dict[str, Worry]:
    match rule:
        case {"model": "confidence-bounding", "h": share, "column": column}:
            return {column: Worry(Harm.GUESS, share)}
        case {"model": "l-diversity", "l": least, "column": column}:
            return {column: Worry(Harm.SAME, least)}
        case {"model": "t-closeness", "t": t, "column": column}:
            return {column: Worry(Harm.SKEW, t, rule.get("distance", "equal"))}
        case {"model": "epsilon-m-anonymity", "epsilon": epsilon, "column": column}:
            return {column: Worry(Harm.NEAR, epsilon)}
        case {"model": "k-e-anonymity", "e": apart, "column": column}:
            return {column: Worry(Harm.SPREAD, apart)}
        case {"model": "lkc-privacy", "C": share, "values": values}:
            return {column: Worry(Harm.GUESS, share) for column in values}
    return {}


def expresses(
    answers: Answers,
    rules: Rules,
    method: dict[str, Any] | list[dict[str, Any]],
    facts: TableFacts,
) -> bool:
    """Say whether the answers lead to exactly these rules and this method."""
    proposal = propose_protection(answers, facts)
    return proposal.rules == rules and proposal.method == method
