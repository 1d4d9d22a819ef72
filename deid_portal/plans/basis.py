"""A plan document that can be changed: what changes, sweeps and lists ask of it.

Plans of tables and plans of networks name other rules and methods; `basis_of` decides by the
document which of the two it is, and `Basis` and `NetworkBasis` know the rest.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from deid_portal.engine import InvalidPlan, Plan
from deid_portal.engine.methods import METHODS, RecodingMethod
from deid_portal.engine.networks import NetworkPlan, is_network_plan
from deid_portal.engine.networks.knowledge.knowledge import Knowledge
from deid_portal.engine.networks.methods import NETWORK_METHODS, complete_methods
from deid_portal.engine.networks.models import NETWORK_MODELS
from deid_portal.engine.parameters import Choice
from deid_portal.engine.privacy import MODELS
from deid_portal.engine.wording.knowledge import KNOWLEDGE_TITLES
from deid_portal.engine.wording.numbers import percent

PlanDocument = dict[str, Any]
AnyPlan = Plan | NetworkPlan


@dataclass(frozen=True)
class Basis:
    """The plan of a table with its files, and the levels its run came to."""

    plan: PlanDocument
    files: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)  # empty where nothing was run
    heights: Mapping[str, int] = field(default_factory=dict)

    # What such a plan can name.
    kinds_of_methods: ClassVar[Mapping[str, Any]] = METHODS
    kinds_of_rules: ClassVar[Mapping[str, Any]] = MODELS
    read: ClassVar[Callable[..., AnyPlan]] = Plan.from_document

    @property
    def rules(self) -> list[dict[str, Any]]:
        return list(self.plan.get("models", []))

    @property
    def methods(self) -> list[dict[str, Any]]:
        method = self.plan.get("method") or []
        return list(method) if isinstance(method, list) else [method]

    def with_rules(self, rules: Iterable[dict[str, Any]]) -> PlanDocument:
        return {**self.plan, "models": list(rules)}

    def with_methods(self, methods: Sequence[dict[str, Any]]) -> PlanDocument:
        return {**self.plan, "method": methods[0] if len(methods) == 1 else list(methods)}

    def with_column(self, name: str, entry: dict[str, Any]) -> PlanDocument:
        return {**self.plan, "columns": {**self.plan["columns"], name: entry}}

    def column(self, name: str) -> dict[str, Any]:
        if name not in self.plan["columns"]:
            raise InvalidPlan(f"The plan has no column {name}.")
        entry: dict[str, Any] = self.plan["columns"][name]
        return entry

    def takes(self, method: Mapping[str, Any], parameter: str) -> bool:
        kind = self.kinds_of_methods.get(method.get("name", ""))
        return kind is not None and any(own.name == parameter for own in kind.parameters)

    def is_using(self, method: Mapping[str, Any]) -> bool:
        """Say whether the plan has this method alone, of which nothing but its name is asked."""
        return len(self.methods) == 1 and dict(method) == {"name": self.methods[0]["name"]}

    @property
    def look_alikes(self) -> int | None:
        """Among how many every person shall hide; None where no rule says so."""
        found = [rule.get(self._parameter_of_look_alikes(rule)) for rule in self.rules]
        numbers = [int(number) for number in found if number is not None]
        return max(numbers) if numbers else None

    def _parameter_of_look_alikes(self, rule: Mapping[str, Any]) -> str:
        """Return what a rule calls the number of look-alikes, empty if it has none."""
        kind = self.kinds_of_rules.get(rule["model"])
        return "" if kind is None else str(kind.look_alikes)

    @property
    def limit(self) -> float | None:
        """The share that may be left out; None where no method has such a limit."""
        limits = [
            method.get("suppression_limit", 0.0)
            for method in self.methods
            if self.takes(method, "suppression_limit")
        ]
        return max(limits) if limits else None

    @property
    def drew_protection_from_seed(self) -> bool:
        """Say whether the seed of such a plan decided what protects people.

        Differential privacy never drew from it.
        """
        kinds = [self.kinds_of_methods[method["name"]] for method in self.methods]
        return any(kind.protects_by_chance and not kind.is_private for kind in kinds)

    @property
    def ways(self) -> list[str]:
        """The words by which methods of a network were chosen, such as "additions"."""
        return []

    def to_plan(self) -> AnyPlan:
        """Validate; raises InvalidPlan.

        A seed is left out where a change makes it one that would undo the protection.
        """
        plan = type(self).read(dict(self.plan), read_file=lambda name: self.files[name].encode())
        return plan.without_undoing_seed()

    def hiding_among(self, look_alikes: int) -> PlanDocument:
        """Return the plan in which every person hides among so many."""
        if self.look_alikes is None:
            return self.with_rules([{"model": "k-anonymity", "k": look_alikes}, *self.rules])
        return self.with_rules(self._rules_hiding_among(look_alikes))

    def _rules_hiding_among(self, look_alikes: int) -> list[dict[str, Any]]:
        named = [(rule, self._parameter_of_look_alikes(rule)) for rule in self.rules]
        return [{**rule, name: look_alikes} if name else rule for rule, name in named]

    def using(self, method: dict[str, Any]) -> PlanDocument:
        """Return the plan with another method in place of the one that sees to the rules.

        Methods around it stay, and so does the share that may be left out, where the new method
        has one and says none.
        """
        if self.limit is not None and self.takes(method, "suppression_limit"):
            method = {"suppression_limit": self.limit, **method}
        return self.with_methods(_replace_recoding(self.methods, method))

    def method_words(self, method: Mapping[str, Any]) -> str:
        """Name a method in the middle of a sentence, with its numbers."""
        return part_words(method, "name")

    @property
    def words(self) -> str:
        """What the plan asks for: "12 quasi-identifiers, hides among 5, up to 5 % left out"."""
        columns = self.plan.get("columns", {}).values()
        quasi = sum(column.get("role") == "quasi-identifier" for column in columns)
        counted = "1 quasi-identifier" if quasi == 1 else f"{quasi} quasi-identifiers"
        limit = self.limit
        left_out = (
            "" if limit is None else f"up to {percent(limit)} left out" if limit else "all kept"
        )
        return ", ".join(part for part in (counted, self.short_words, left_out) if part)

    @property
    def short_words(self) -> str:
        """For example: hides among 5; else what the first rule or method is called."""
        if self.look_alikes:
            return f"hides among {self.look_alikes}"
        if self.rules:
            return str(self.rules[0]["model"])
        return str(self.methods[0].get("name", "")) if self.methods else ""


@dataclass(frozen=True)
class NetworkBasis(Basis):
    """The plan of a network: its methods change links and leave out nobody."""

    kinds_of_methods: ClassVar[Mapping[str, Any]] = NETWORK_METHODS
    kinds_of_rules: ClassVar[Mapping[str, Any]] = NETWORK_MODELS
    read: ClassVar[Callable[..., AnyPlan]] = NetworkPlan.from_document

    def is_using(self, method: Mapping[str, Any]) -> bool:
        """Methods aim at numbers of their own, so each is tried anew."""
        return False

    def hiding_among(self, look_alikes: int) -> PlanDocument:
        """Methods aim at a number of their own, which has to follow the rule."""
        if self.look_alikes is None:
            raise InvalidPlan(
                "This plan promises no number of look-alikes, so none can be changed."
            )
        followed = [
            {**method, "k": look_alikes} if self.takes(method, "k") else method
            for method in self.methods
        ]
        return {**self.with_methods(followed), "models": self._rules_hiding_among(look_alikes)}

    def using(self, method: dict[str, Any]) -> PlanDocument:
        """Keep the number of look-alikes, where the new method aims at one and says none."""
        if self.look_alikes is not None and self.takes(method, "k"):
            method = {"k": self.look_alikes, **method}
        knowledge = Knowledge(self.plan.get("knowledge", Knowledge.DEGREE))
        return self.with_methods(complete_methods([method], knowledge))

    @property
    def drew_protection_from_seed(self) -> bool:
        """Nodes are numbered by chance whatever the method."""
        return not any(self.kinds_of_methods[own["name"]].is_private for own in self.methods)

    @property
    def ways(self) -> list[str]:
        return [
            " ".join(str(value) for value in method.values() if isinstance(value, str))
            for method in self.methods
        ]

    def method_words(self, method: Mapping[str, Any]) -> str:
        kind = self.kinds_of_methods.get(method["name"])
        if kind is None:
            return super().method_words(method)
        named = {own.name for own in kind.parameters if isinstance(own, Choice)}
        said = [
            parameter_words(kind, name, value) for name, value in method.items() if name in named
        ]
        return f"{kind.title.lower()}" + (f" ({', '.join(said)})" if said else "")

    @property
    def words(self) -> str:
        methods = ", then ".join(method["name"] for method in self.methods)
        return f"{self.short_words}, {methods}"

    @property
    def short_words(self) -> str:
        known = KNOWLEDGE_TITLES[self.plan.get("knowledge", "degree")].lower()
        return f"{known}: hides among {self.look_alikes}" if self.look_alikes else known


def basis_of(
    plan: Mapping[str, Any],
    files: Mapping[str, str] | None = None,
    levels: Mapping[str, int] | None = None,
    heights: Mapping[str, int] | None = None,
) -> Basis:
    """Return a plan document as what can be changed, be it the plan of a table or of a network."""
    kind = NetworkBasis if is_network_plan(plan) else Basis
    return kind(dict(plan), files or {}, levels or {}, heights or {})


def _replace_recoding(
    methods: Sequence[dict[str, Any]], method: dict[str, Any]
) -> list[dict[str, Any]]:
    """Put a method where the one stood that makes the rules hold."""
    changed, is_done = [], False
    for own in methods:
        kind = METHODS.get(own["name"])
        makes = kind is not None and (kind.makes_classes or issubclass(kind, RecodingMethod))
        if makes and not is_done:
            changed.append(method)
            is_done = True
        elif not makes:
            changed.append(own)
    return changed if is_done else [method, *changed]


def part_words(part: Mapping[str, Any], name_key: str) -> str:
    """Name a rule or a method with its numbers; lists and values stay unsaid."""
    numbers = [
        f"{key.replace('_', ' ')} {value:g}"
        for key, value in part.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    about = f" on {part['column']}" if isinstance(part.get("column"), str) else ""
    return f"{part[name_key]}{about}" + (f" ({', '.join(numbers)})" if numbers else "")


def parameter_words(kind: Any, parameter: str, value: Any) -> str:
    """Write a number, or a word the engine itself offers; anything else may be somebody's value."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:,}" if isinstance(value, int) else f"{value:g}"
    declared = [own for own in kind.parameters if own.name == parameter] if kind else []
    if declared and isinstance(declared[0], Choice) and value in declared[0].choices:
        return str(value)
    return "changed"
