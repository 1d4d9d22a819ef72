"""Small changes of a plan, declared as data, used by "Try this change" and by sweeps.

A change turns a plan document into another one and describes that in words. It does not validate:
the engine judges the resulting plan, like every other. The words name columns, rules and numbers,
never a value of the table.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, ClassVar, Self

from deid_portal.engine import InvalidPlan
from deid_portal.engine.documents import Place, plain_value
from deid_portal.engine.methods.coding import Coding
from deid_portal.engine.methods.rounding import Rounding
from deid_portal.engine.plan import ColumnRole
from deid_portal.engine.wording.numbers import percent
from deid_portal.engine.wording.words import listed
from deid_portal.plans.basis import Basis, PlanDocument, parameter_words, part_words

ROLE_WORDS = {
    ColumnRole.IDENTIFIER: "an identifier",
    ColumnRole.QUASI_IDENTIFIER: "a quasi-identifier",
    ColumnRole.SENSITIVE: "sensitive",
    ColumnRole.INSENSITIVE: "harmless",
}


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
        given = {name: plain_value(value) for name, value in values.items() if value is not None}
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
        return basis.hiding_among(self.to)

    def words(self, basis: Basis) -> str:
        before = basis.look_alikes
        return f"hides among {self.to:,}" + (f" instead of {before:,}" if before else "")


@dataclass(frozen=True)
class LeaveOut(Change):
    """At most this share of the rows may be left out."""

    to: float
    kind: ClassVar[str] = "leave-out"

    def apply(self, basis: Basis) -> PlanDocument:
        if basis.limit is None:
            raise InvalidPlan("The method of this plan leaves out nobody, so it has no limit.")
        return basis.with_methods(
            [
                {**method, "suppression_limit": self.to}
                if basis.takes(method, "suppression_limit")
                else method
                for method in basis.methods
            ]
        )

    def words(self, basis: Basis) -> str:
        before = basis.limit
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
            "suppression_limit": basis.limit or 0.0,
        }
        return basis.using(by_hand)

    def words(self, basis: Basis) -> str:
        before = _levels(basis).get(self.column, 0)
        if self.to == before + 1:
            return f"{self.column} one step coarser"
        if self.to == before - 1:
            return f"{self.column} one step finer"
        return f"{self.column} at level {self.to} instead of {before}"


@dataclass(frozen=True)
class SetLevels(Change):
    """Every column at a level chosen by hand."""

    to: dict[str, int]
    kind: ClassVar[str] = "levels"

    def apply(self, basis: Basis) -> PlanDocument:
        for column in self.to:
            basis.column(column)
        by_hand = {"name": "levels", "levels": self.to, "suppression_limit": basis.limit or 0.0}
        return basis.using(by_hand)

    def words(self, basis: Basis) -> str:
        before = basis.levels or {}
        changed = [
            f"{column} at level {level} instead of {before.get(column, 0)}"
            for column, level in self.to.items()
            if level != before.get(column, 0)
        ]
        return listed(changed) or "levels chosen by hand"


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
        kind = basis.kinds_of_rules.get(self.model)
        now = parameter_words(kind, self.parameter, self.to)
        instead = (
            f" instead of {parameter_words(kind, self.parameter, before[0])}" if before else ""
        )
        return f"{self.model}{about} with {named} {now}{instead}"


@dataclass(frozen=True)
class AddRule(Change):
    rule: dict[str, Any]
    kind: ClassVar[str] = "add-rule"

    def apply(self, basis: Basis) -> PlanDocument:
        return basis.with_rules([*basis.rules, self.rule])

    def words(self, basis: Basis) -> str:
        return f"also {part_words(self.rule, 'model')}"


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
        return basis.using(self.method)

    def words(self, basis: Basis) -> str:
        return f"with the method {basis.method_words(self.method)}"


@dataclass(frozen=True)
class AddMethod(Change):
    """A further method after those of the plan: noise on a column, rounding, sampling."""

    method: dict[str, Any]
    kind: ClassVar[str] = "add-method"

    def apply(self, basis: Basis) -> PlanDocument:
        return basis.with_methods([*basis.methods, self.method])

    def words(self, basis: Basis) -> str:
        return f"then {part_words(self.method, 'name')}"


@dataclass(frozen=True)
class SetMethod(Change):
    """A parameter of the method that has it, such as its metric."""

    parameter: str
    to: Any
    kind: ClassVar[str] = "method-parameter"

    def apply(self, basis: Basis) -> PlanDocument:
        if not any(basis.takes(method, self.parameter) for method in basis.methods):
            raise InvalidPlan(f"No method of the plan has a {self.parameter}.")
        return basis.with_methods(
            [
                {**method, self.parameter: self.to}
                if basis.takes(method, self.parameter)
                else method
                for method in basis.methods
            ]
        )

    def words(self, basis: Basis) -> str:
        kinds = [
            basis.kinds_of_methods[own["name"]]
            for own in basis.methods
            if basis.takes(own, self.parameter)
        ]
        said = parameter_words(kinds[0], self.parameter, self.to) if kinds else ""
        return f"{self.parameter.replace('_', ' ')} {said}".strip()


@dataclass(frozen=True)
class RoundNumbers(Change):
    """Numbers of a column rounded before anything else, with `ends` also the far ones as one."""

    column: str
    base: float
    ends: float = 0.0  # the share of the people at each end who get the same number
    kind: ClassVar[str] = "round"

    def apply(self, basis: Basis) -> PlanDocument:
        basis.column(self.column)
        own = [self.column]
        first: list[dict[str, Any]] = [{"name": Rounding.name, "columns": own, "base": self.base}]
        if self.ends:
            shares = {"top_share": self.ends, "bottom_share": self.ends}
            first.append({"name": Coding.name, "columns": own, **shares})
        coarser = {Rounding.name, Coding.name}
        kept = [
            method
            for method in basis.methods
            if method["name"] not in coarser or method.get("columns") != own
        ]
        return basis.with_methods([*first, *kept])

    def words(self, basis: Basis) -> str:
        ends = f", its ends of {percent(self.ends)} each as one number" if self.ends else ""
        return f"{self.column} rounded to {self.base:,.10g}{ends}"


CHANGES: dict[str, type[Change]] = {
    own.kind: own
    for own in (
        HideAmong,
        LeaveOut,
        SetLevel,
        SetLevels,
        SetRole,
        SetWeight,
        SetRule,
        AddRule,
        DropRule,
        UseMethod,
        AddMethod,
        SetMethod,
        RoundNumbers,
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


def _role(role: str) -> str:
    return ROLE_WORDS[ColumnRole(role)]
