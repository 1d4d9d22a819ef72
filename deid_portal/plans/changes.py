"""Small changes of a plan, declared as data, used by "Try this change" and by sweeps.

A change turns a plan document into another one and describes that in words. It does not validate:
the engine judges the resulting plan, like every other. The words name columns, rules and numbers,
never a value of the table.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, ClassVar, Self

from deid_portal.engine import InvalidPlan
from deid_portal.engine.documents import Place, plain
from deid_portal.engine.methods import METHODS, RecodingMethod
from deid_portal.engine.networks.methods import NETWORK_METHODS
from deid_portal.engine.networks.models import NETWORK_MODELS
from deid_portal.engine.parameters import Choice
from deid_portal.engine.plan import ColumnRole
from deid_portal.engine.privacy import MODELS
from deid_portal.engine.wording.numbers import percent

PlanDocument = dict[str, Any]
ROLE_WORDS = {
    ColumnRole.IDENTIFIER: "an identifier",
    ColumnRole.QUASI_IDENTIFIER: "a quasi-identifier",
    ColumnRole.SENSITIVE: "sensitive",
    ColumnRole.INSENSITIVE: "harmless",
}


@dataclass(frozen=True)
class Basis:
    """The starting point of a change: a plan with its files, and the levels its run reached."""

    plan: PlanDocument
    files: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)  # empty without a run
    heights: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_network(self) -> bool:
        return "network" in self.plan

    @property
    def kinds(self) -> Mapping[str, Any]:
        """The methods available for this kind of plan."""
        return NETWORK_METHODS if self.is_network else METHODS

    @property
    def rules(self) -> list[dict[str, Any]]:
        return list(self.plan.get("models", []))

    @property
    def methods(self) -> list[dict[str, Any]]:
        method = self.plan.get("method", [])
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


class Change(ABC):
    """One change; subclasses are frozen dataclasses whose fields are the document."""

    kind: ClassVar[str]

    @abstractmethod
    def apply(self, basis: Basis) -> PlanDocument:
        """Return the changed plan; raises InvalidPlan if there is nothing to change."""

    @abstractmethod
    def words(self, basis: Basis) -> str:
        """Describe the change, as part of a sentence: "hides among 10 instead of 5"."""

    @classmethod
    def parse(cls, place: Place) -> Self:
        """Read a change that a form sent; raises InvalidPlan."""
        own = {field.name: field for field in fields(cls)}  # type: ignore[arg-type]
        required = [name for name, field in own.items() if field.default is MISSING]
        place.check_keys(required=("change", *required), optional=list(own))
        return cls(**{name: _read(place[name], own[name].type) for name in own if name in place})

    def to_document(self) -> dict[str, Any]:
        values = {own.name: getattr(self, own.name) for own in fields(self)}  # type: ignore[arg-type]
        given = {name: plain(value) for name, value in values.items() if value is not None}
        return {"change": self.kind, **given}


def _read(place: Place, kind: Any) -> Any:
    if kind is int:
        return place.integer()
    if kind is float:
        return place.number()
    if kind in (str, str | None):
        return place.text()
    if kind is not Any:
        place.check_object()
    return place.value


@dataclass(frozen=True)
class HideAmong(Change):
    """The number of look-alikes, in all rules that have such a parameter."""

    to: int
    kind: ClassVar[str] = "hide-among"

    def apply(self, basis: Basis) -> PlanDocument:
        if basis.is_network:
            return self._apply_to_network(basis)
        if look_alikes_of(basis) is None:
            return basis.with_rules([{"model": "k-anonymity", "k": self.to}, *basis.rules])
        return basis.with_rules(self._changed(rule) for rule in basis.rules)

    def _apply_to_network(self, basis: Basis) -> PlanDocument:
        """Methods for networks have their own k, which must follow that of the rule."""
        if look_alikes_of(basis) is None:
            raise InvalidPlan(
                "This plan promises no number of look-alikes, so none can be changed."
            )
        followed = [
            {**method, "k": self.to} if _takes(basis, method, "k") else method
            for method in basis.methods
        ]
        rules = [self._changed(rule) for rule in basis.rules]
        return {**basis.with_methods(followed), "models": rules}

    def _changed(self, rule: dict[str, Any]) -> dict[str, Any]:
        name = _parameter_of_look_alikes(rule)
        return {**rule, name: self.to} if name else rule

    def words(self, basis: Basis) -> str:
        before = look_alikes_of(basis)
        return f"hides among {self.to:,}" + (f" instead of {before:,}" if before else "")


@dataclass(frozen=True)
class LeaveOut(Change):
    """At most this share of the rows may be left out."""

    to: float
    kind: ClassVar[str] = "leave-out"

    def apply(self, basis: Basis) -> PlanDocument:
        if limit_of(basis) is None:
            raise InvalidPlan("The method of this plan leaves out nobody, so it has no limit.")
        return basis.with_methods(
            [
                {**method, "suppression_limit": self.to} if _has_limit(basis, method) else method
                for method in basis.methods
            ]
        )

    def words(self, basis: Basis) -> str:
        before = limit_of(basis)
        instead = f" instead of {percent(before)}" if before is not None else ""
        return f"may leave out {percent(self.to)}{instead}"


@dataclass(frozen=True)
class SetLevel(Change):
    """One column at another level, all others at the levels of the run."""

    column: str
    to: int
    kind: ClassVar[str] = "level"

    def apply(self, basis: Basis) -> PlanDocument:
        basis.column(self.column)
        levels = {**_levels(basis), self.column: self.to}
        height = basis.heights.get(self.column)
        if height is not None and not 0 <= self.to <= height:
            raise InvalidPlan(f"{self.column} has levels 0 to {height}.")
        by_hand = {
            "name": "levels",
            "levels": levels,
            "suppression_limit": limit_of(basis) or 0.0,
        }
        return basis.with_methods(_replace_recoding(basis.methods, by_hand))

    def words(self, basis: Basis) -> str:
        before = _levels(basis).get(self.column, 0)
        if self.to == before + 1:
            return f"{self.column} one step coarser"
        if self.to == before - 1:
            return f"{self.column} one step finer"
        return f"{self.column} at level {self.to} instead of {before}"


@dataclass(frozen=True)
class SetRole(Change):
    """Another role for a column."""

    column: str
    to: str
    kind: ClassVar[str] = "role"

    def apply(self, basis: Basis) -> PlanDocument:
        before = basis.column(self.column)
        entry = {"role": self.to, **{key: before[key] for key in ("type",) if key in before}}
        if self.to in (ColumnRole.QUASI_IDENTIFIER, ColumnRole.SENSITIVE) and "taxonomy" in before:
            entry["taxonomy"] = before["taxonomy"]
        return basis.with_column(self.column, entry)

    def words(self, basis: Basis) -> str:
        before = basis.column(self.column)["role"]
        return f"{self.column} is {_role(self.to)} instead of {_role(before)}"


@dataclass(frozen=True)
class SetWeight(Change):
    """The weight of a column."""

    column: str
    to: float
    kind: ClassVar[str] = "weight"

    def apply(self, basis: Basis) -> PlanDocument:
        return basis.with_column(self.column, {**basis.column(self.column), "weight": self.to})

    def words(self, basis: Basis) -> str:
        before = basis.column(self.column).get("weight", 1)
        return f"{self.column} weighs {self.to:g} instead of {before:g}"


@dataclass(frozen=True)
class SetRule(Change):
    """A parameter of a rule; with `column` if there are several rules of that name."""

    model: str
    parameter: str
    to: Any
    column: str | None = None
    kind: ClassVar[str] = "rule"

    def apply(self, basis: Basis) -> PlanDocument:
        if not self._found(basis):
            raise InvalidPlan(f"The plan has no rule {self.model} to change.")
        return basis.with_rules(
            {**rule, self.parameter: self.to} if self._is_meant(rule) else rule
            for rule in basis.rules
        )

    def _is_meant(self, rule: dict[str, Any]) -> bool:
        about_it = self.column is None or rule.get("column") == self.column
        return rule["model"] == self.model and about_it

    def _found(self, basis: Basis) -> list[dict[str, Any]]:
        return [rule for rule in basis.rules if self._is_meant(rule)]

    def words(self, basis: Basis) -> str:
        about = f" on {self.column}" if self.column else ""
        before = [rule[self.parameter] for rule in self._found(basis) if self.parameter in rule]
        named = self.parameter.replace("_", " ")
        kind = MODELS.get(self.model)
        instead = f" instead of {_said(kind, self.parameter, before[0])}" if before else ""
        return f"{self.model}{about} with {named} {_said(kind, self.parameter, self.to)}{instead}"


@dataclass(frozen=True)
class AddRule(Change):
    rule: dict[str, Any]
    kind: ClassVar[str] = "add-rule"

    def apply(self, basis: Basis) -> PlanDocument:
        return basis.with_rules([*basis.rules, self.rule])

    def words(self, basis: Basis) -> str:
        return f"also {_part_words(self.rule, 'model')}"


@dataclass(frozen=True)
class DropRule(Change):
    model: str
    column: str | None = None
    kind: ClassVar[str] = "drop-rule"

    def apply(self, basis: Basis) -> PlanDocument:
        kept = [rule for rule in basis.rules if not self._is_meant(rule)]
        if len(kept) == len(basis.rules):
            raise InvalidPlan(f"The plan has no rule {self.model} to take away.")
        return basis.with_rules(kept)

    def _is_meant(self, rule: dict[str, Any]) -> bool:
        about_it = self.column is None or rule.get("column") == self.column
        return rule["model"] == self.model and about_it

    def words(self, basis: Basis) -> str:
        return f"without {self.model}" + (f" on {self.column}" if self.column else "")


@dataclass(frozen=True)
class UseMethod(Change):
    """Another method in place of the one that makes the rules hold; other methods stay."""

    method: dict[str, Any]
    kind: ClassVar[str] = "method"

    def apply(self, basis: Basis) -> PlanDocument:
        if basis.is_network:
            return basis.with_methods([self._with_look_alikes(basis)])
        return basis.with_methods(_replace_recoding(basis.methods, self._with_limit(basis)))

    def _with_limit(self, basis: Basis) -> dict[str, Any]:
        """Keep the suppression limit, if the new method has one and does not set it."""
        limit = limit_of(basis)
        if limit is None or not _takes(basis, self.method, "suppression_limit"):
            return self.method
        return {"suppression_limit": limit, **self.method}

    def _with_look_alikes(self, basis: Basis) -> dict[str, Any]:
        """Keep the number of look-alikes, if the new method has one and does not set it."""
        k = look_alikes_of(basis)
        if k is None or not _takes(basis, self.method, "k"):
            return self.method
        return {"k": k, **self.method}

    def words(self, basis: Basis) -> str:
        if basis.is_network and self.method["name"] in NETWORK_METHODS:
            chosen = _chosen_words(NETWORK_METHODS[self.method["name"]], self.method)
            return f"with the method {NETWORK_METHODS[self.method['name']].title.lower()}{chosen}"
        return f"with the method {_part_words(self.method, 'name')}"


@dataclass(frozen=True)
class AddMethod(Change):
    """A further method after those of the plan: noise on a column, rounding, sampling."""

    method: dict[str, Any]
    kind: ClassVar[str] = "add-method"

    def apply(self, basis: Basis) -> PlanDocument:
        return basis.with_methods([*basis.methods, self.method])

    def words(self, basis: Basis) -> str:
        return f"then {_part_words(self.method, 'name')}"


@dataclass(frozen=True)
class SetMethod(Change):
    """A parameter of the method that has it, such as its metric."""

    parameter: str
    to: Any
    kind: ClassVar[str] = "method-parameter"

    def apply(self, basis: Basis) -> PlanDocument:
        if not any(_takes(basis, method, self.parameter) for method in basis.methods):
            raise InvalidPlan(f"No method of the plan has a {self.parameter}.")
        return basis.with_methods(
            [
                {**method, self.parameter: self.to}
                if _takes(basis, method, self.parameter)
                else method
                for method in basis.methods
            ]
        )

    def words(self, basis: Basis) -> str:
        kinds = [
            basis.kinds[own["name"]] for own in basis.methods if _takes(basis, own, self.parameter)
        ]
        said = _said(kinds[0], self.parameter, self.to) if kinds else ""
        return f"{self.parameter.replace('_', ' ')} {said}".strip()


CHANGES: dict[str, type[Change]] = {
    own.kind: own
    for own in (
        HideAmong,
        LeaveOut,
        SetLevel,
        SetRole,
        SetWeight,
        SetRule,
        AddRule,
        DropRule,
        UseMethod,
        AddMethod,
        SetMethod,
    )
}


def read_changes(text: str) -> list[Change]:
    """Read changes sent by a form: one as JSON, or a list; raises InvalidPlan."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidPlan("The change is not valid JSON.") from None
    place = Place(document, "change")
    places = place.items() if isinstance(document, list) else [place]
    if not places:
        place.refuse("at least one change is needed.")
    return [_read_change(own) for own in places]


def _read_change(place: Place) -> Change:
    place.check_object()
    return CHANGES[place["change"].choice(CHANGES)].parse(place)


def write_changes(*changes: Change) -> str:
    """Return the text that a form sends to try these changes."""
    documents = [change.to_document() for change in changes]
    return json.dumps(documents[0] if len(documents) == 1 else documents, ensure_ascii=False)


def apply_changes(basis: Basis, changes: Iterable[Change]) -> tuple[Basis, str]:
    """Return the basis after all changes, one after the other, and their descriptions."""
    words = []
    for change in changes:
        try:
            said = change.words(basis)
            plan = change.apply(basis)
        except (TypeError, ValueError, KeyError, AttributeError):
            # The engine validates the result only.
            raise InvalidPlan(f"The change {change.kind} does not fit this plan.") from None
        if plan != basis.plan:
            words.append(said)
        basis = replace(basis, plan=plan)
    return basis, ", ".join(words)


def look_alikes_of(basis: Basis) -> int | None:
    """Return the number of look-alikes the rules require; None if no rule does."""
    found = [rule.get(_parameter_of_look_alikes(rule)) for rule in basis.rules]
    numbers = [int(number) for number in found if number is not None]
    return max(numbers) if numbers else None


def _parameter_of_look_alikes(rule: dict[str, Any]) -> str:
    """Return the name of a rule's parameter for the number of look-alikes; empty if it has none."""
    kind = MODELS.get(rule["model"]) or NETWORK_MODELS.get(rule["model"])
    return kind.look_alikes if kind is not None else ""


def limit_of(basis: Basis) -> float | None:
    """Return the suppression limit; None if no method has one."""
    limits = [
        method.get("suppression_limit", 0.0)
        for method in basis.methods
        if _has_limit(basis, method)
    ]
    return max(limits) if limits else None


def _has_limit(basis: Basis, method: dict[str, Any]) -> bool:
    return _takes(basis, method, "suppression_limit")


def _takes(basis: Basis, method: dict[str, Any], parameter: str) -> bool:
    kind = basis.kinds.get(method.get("name", ""))
    return kind is not None and any(own.name == parameter for own in kind.parameters)


def _levels(basis: Basis) -> dict[str, int]:
    """Return the levels that a change of a level starts from."""
    for method in basis.methods:
        if method["name"] == "levels":
            return dict(method["levels"])
    if not basis.levels:
        raise InvalidPlan(
            "One column alone can be changed after a run that gave every column one level."
        )
    return dict(basis.levels)


def _replace_recoding(
    methods: Sequence[dict[str, Any]], method: dict[str, Any]
) -> list[dict[str, Any]]:
    """Replace the method that makes the rules hold."""
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


def _part_words(part: Mapping[str, Any], name_key: str) -> str:
    """Name a rule or a method with its numbers, without lists and values."""
    numbers = [
        f"{key.replace('_', ' ')} {value:g}"
        for key, value in part.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    about = f" on {part['column']}" if isinstance(part.get("column"), str) else ""
    return f"{part[name_key]}{about}" + (f" ({', '.join(numbers)})" if numbers else "")


def _chosen_words(kind: Any, method: Mapping[str, Any]) -> str:
    """Return the chosen variant of a method, if its entry names one."""
    named = {own.name for own in kind.parameters if isinstance(own, Choice)}
    said = [_said(kind, name, value) for name, value in method.items() if name in named]
    return f" ({', '.join(said)})" if said else ""


def _said(kind: Any, parameter: str, value: Any) -> str:
    """Write a number, or a word the engine offers; anything else may be a value of the table."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:,}" if isinstance(value, int) else f"{value:g}"
    declared = [own for own in kind.parameters if own.name == parameter] if kind else []
    if declared and isinstance(declared[0], Choice) and value in declared[0].choices:
        return str(value)
    return "changed"


def _role(role: str) -> str:
    return ROLE_WORDS[ColumnRole(role)]
