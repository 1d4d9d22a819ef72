"""The protection page of a network: three answers, from which a plan is composed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.forms import ChoiceField
from django.http import QueryDict

from deid_portal.datasets.models import Dataset
from deid_portal.engine import InvalidPlan
from deid_portal.engine.charts.chart import Chart
from deid_portal.engine.networks import NetworkPlan
from deid_portal.engine.networks.knowledge.knowledge import Knowledge
from deid_portal.engine.networks.methods import NETWORK_METHODS, NetworkMethod
from deid_portal.engine.networks.models import model_against
from deid_portal.engine.parameters import Choice as OneOf
from deid_portal.engine.report.network import KnowledgeState
from deid_portal.engine.wording.knowledge import KNOWLEDGE_PHRASES, KNOWLEDGE_TITLES
from deid_portal.engine.wording.numbers import percent
from deid_portal.networks.composition import compose_network_plan
from deid_portal.networks.estimation import NetworkEstimate, estimate_network_run, price_chart
from deid_portal.networks.expectations import expect_of_network
from deid_portal.networks.forms import KnowledgeForm
from deid_portal.networks.guidance import (
    MethodOffer,
    NetworkRecommendation,
    offer_methods,
    recommend_network_method,
)
from deid_portal.networks.plan_fit import check_network_plan_fits
from deid_portal.networks.vocabulary import (
    CHOICE_WORDS,
    CHOICE_WORDS_OF,
    KNOWLEDGE_WORDS,
    PARAMETER_WORDS,
)
from deid_portal.plans.composition import ProtectionChoice
from deid_portal.plans.expectations import Expectation, count_states
from deid_portal.plans.expert_forms import PartForm, starting_entry
from deid_portal.plans.parameter_fields import Columns
from deid_portal.plans.plain_form import LARGEST_K_ON_SLIDER, Slider
from deid_portal.policies.rules import Rules

PROPOSED = ("knowledge", "method")


@dataclass(frozen=True)
class KnowledgeOffer:
    value: str
    title: str
    words: str
    figure: str  # how many people are unique by it in the original network


@dataclass
class NetworkProtectionPage:
    """The contents of the page: answers, the method's form, and the plan or why there is none."""

    dataset: Dataset
    form: KnowledgeForm
    knowledge: str
    method: str
    part: PartForm
    recommendation: NetworkRecommendation
    attacks: bool
    rules: Rules
    promises: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    problem: str = ""
    plan: NetworkPlan | None = None

    @property
    def offers(self) -> list[KnowledgeOffer]:
        risk = self.dataset.network.knowledge_states
        return [
            KnowledgeOffer(value, KNOWLEDGE_TITLES[value], KNOWLEDGE_WORDS[value], _alone(own))
            for value in offered_knowledge(self.dataset)
            for own in [risk.get(value)]
        ]

    @property
    def gaps(self) -> list[str]:
        """Who finds people nevertheless: what else somebody may know, and whom it finds now."""
        kind = NETWORK_METHODS[self.method]
        if kind.is_private:
            return []
        risk = self.dataset.network.knowledge_states
        return [
            f"{KNOWLEDGE_PHRASES[value]}. {_alone(risk.get(value))}".rstrip()
            for value in offered_knowledge(self.dataset)
            if not kind.protects_from(Knowledge(value), Knowledge(self.knowledge))
        ]

    @cached_property
    def methods(self) -> list[MethodOffer]:
        return offer_methods(self.dataset, self.recommendation.method, self.knowledge)

    @property
    def fitting(self) -> list[MethodOffer]:
        """The methods that protect against this knowledge, recommended first, and the chosen."""
        return [own for own in self.methods if own.withstands or own.name == self.method]

    @property
    def others(self) -> list[MethodOffer]:
        return [own for own in self.methods if own not in self.fitting]

    @property
    def slider(self) -> Slider:
        least = self.rules.least_k
        asks = f"The team’s policy asks for at least {least}. " if least > 1 else ""
        why = f"{asks}Hiding among 5, a match is right at most once in five."
        most = max(min(LARGEST_K_ON_SLIDER, self.dataset.rows), 3)
        policy = {"policy": least, "policy_words": "policy minimum"} if least > 1 else {}
        return Slider(self.form["k"], "people or more", why, 2, most, **policy)  # type: ignore[arg-type]

    @cached_property
    def estimate(self) -> NetworkEstimate | None:
        if self._planned is None:
            return None
        return estimate_network_run(self.dataset, self.knowledge, self._planned, self._k)

    @cached_property
    def prices(self) -> Chart | None:
        if self._planned is None:
            return None
        return price_chart(self.dataset, self._planned, self._k)

    @cached_property
    def expectations(self) -> list[Expectation]:
        return expect_of_network(self.rules, self.plan) if self.plan is not None else []

    @property
    def expectation_counts(self) -> dict[str, int]:
        return count_states(self.expectations)

    @property
    def _k(self) -> int:
        return int(self.form.cleaned_data["k"])

    @property
    def _planned(self) -> NetworkMethod | None:
        return self.plan.methods[0] if self.plan is not None else None

    def to_choice(self) -> ProtectionChoice:
        """Return the plan's parts; the forms must be valid."""
        k = self.form.cleaned_data["k"]
        entry = {"name": self.method, **self.part.to_entry()}
        kind = NETWORK_METHODS[self.method]
        if any(parameter.name == "k" for parameter in kind.parameters):
            entry["k"] = k
        model = model_against(Knowledge(self.knowledge))
        rules = [] if kind.is_private else [{"model": model.name, "k": k}]
        measures = {"attacks": ["active"]} if self.attacks else {}
        return ProtectionChoice(rules, entry, measures)


def offered_knowledge(dataset: Dataset) -> list[str]:
    has_attributes = any(column.is_quasi_identifier for column in dataset.columns.all())
    return [known for known in KNOWLEDGE_TITLES if has_attributes or known != "attributes+degree"]


def _alone(own: KnowledgeState | None) -> str:
    if own is None:
        return ""
    if not own.unique:
        return "Now nobody stands alone to them."
    stand = "1 person stands" if own.unique == 1 else f"{own.unique:,} people stand"
    return f"Now {stand} alone to them, {percent(own.risk.sample_uniques)}."


def open_choosing(
    dataset: Dataset,
    rules: Rules,
    data: QueryDict | None = None,
    proposed: Mapping[str, str] | None = None,
) -> NetworkProtectionPage:
    """Show the saved choice, else the recommended one; with data, the submitted one.

    A report may have proposed other knowledge to protect against, and the method that does.
    """
    given: dict[str, Any] = data.dict() if data is not None else _saved(dataset, rules)
    given |= {name: proposed[name] for name in PROPOSED if proposed and name in proposed}
    known = offered_knowledge(dataset)
    knowledge = given.get("knowledge", "") if given.get("knowledge") in known else known[0]
    recommendation = recommend_network_method(dataset, knowledge)
    method = given.get("method", "")
    # Unless a method was chosen by hand, it follows the recommendation as answers change.
    if method not in NETWORK_METHODS or given.get("follows") == method != recommendation.method:
        method = recommendation.method
    form = KnowledgeForm({**given, "knowledge": knowledge, "method": method})
    part = _part_of(dataset, method, data, given)
    choosing = NetworkProtectionPage(
        dataset,
        form,
        knowledge,
        method,
        part,
        recommendation,
        attacks=bool(given.get("attacks")),
        rules=rules,
    )
    _judge(choosing)
    return choosing


def _part_of(
    dataset: Dataset, method: str, data: QueryDict | None, given: Mapping[str, Any]
) -> PartForm:
    kind, columns = NETWORK_METHODS[method], Columns(list(dataset.columns.all()))
    is_posted = data is not None and data.get("shown") == method
    part = PartForm(
        method, kind, data if is_posted else None, columns=columns, prefix=f"m-{method}"
    )
    if not is_posted:
        entry = given.get("entry") or {}
        part.show({**_starting(method), **(entry if entry.get("name") == method else {})})
    return _in_plain_words(part)


def _starting(method: str) -> dict[str, Any]:
    """Return the initial values of a method's fields; for choices, the first one."""
    parameters = NETWORK_METHODS[method].parameters
    words = {own.name: own.choices[0] for own in parameters if isinstance(own, OneOf)}
    return {**words, **starting_entry(parameters)}


def _in_plain_words(part: PartForm) -> PartForm:
    """Remove k, which the page asks for once for rule and method; use plain words as labels."""
    part.fields.pop("k", None)
    part.parameters = [own for own in part.parameters if own.name != "k"]
    for name, field_of in part.fields.items():
        part[name].label = PARAMETER_WORDS.get(name, part[name].label)
        if isinstance(field_of, ChoiceField):
            offered = list(field_of.widget.choices)
            field_of.choices = [
                (value, CHOICE_WORDS_OF.get((part.name, value), CHOICE_WORDS.get(value, words)))
                for value, words in offered
            ]
    return part


def _saved(dataset: Dataset, rules: Rules) -> dict[str, Any]:
    protection = getattr(dataset, "protection", None)
    if protection is None:
        return {"k": max(rules.least_k, 2), "attacks": ""}
    entry = protection.method
    k = next((rule["k"] for rule in protection.rules if "k" in rule), None)
    return {
        "knowledge": protection.answers.get("knowledge", ""),
        "k": k or entry.get("k") or max(rules.least_k, 2),
        "method": entry["name"],
        "entry": entry,
        "attacks": "active" if protection.measures.get("attacks") else "",
    }


def _judge(choosing: NetworkProtectionPage) -> None:
    """Compose the plan and set its guarantees, or the problem."""
    if not choosing.form.is_valid():
        choosing.problem = "Type a whole number from 2 on."
        return
    if choosing.part.is_bound and not choosing.part.is_valid():
        choosing.problem = "Look at the numbers of the method."
        return
    if not choosing.part.is_bound:
        choosing.part = _bound_again(choosing)
    composed = compose_network_plan(choosing.dataset, choosing.to_choice(), choosing.knowledge)
    try:
        choosing.plan = plan = composed.to_plan()
        check_network_plan_fits(choosing.dataset, plan)
    except InvalidPlan as error:
        choosing.plan, choosing.problem = None, str(error)
        return
    choosing.promises = [model.explain() for model in plan.models]
    choosing.promises += [method.explain() for method in plan.methods]
    choosing.cautions = plan.cautions()


def _bound_again(choosing: NetworkProtectionPage) -> PartForm:
    """Bind the initial values as if they had been submitted, so that plans are composed one way."""
    shown = choosing.part
    data = {
        f"{shown.prefix}-{name}": shown[name].value()
        for name in shown.fields
        if shown[name].value() is not None
    }
    part = PartForm(
        shown.name, shown.kind, data, columns=Columns(list(choosing.dataset.columns.all())),
        prefix=shown.prefix,
    )  # fmt: skip
    _in_plain_words(part).is_valid()
    return part
