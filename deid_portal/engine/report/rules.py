"""Whether the rules of a plan hold, and by how much they were violated."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from deid_portal.engine.report.part import Part, rest


@dataclass(frozen=True, kw_only=True)
class RuleVerdict(Part):
    """A rule with its measured values.

    `parameters` are those of the plan, which differ by model; `achieved` holds the values that the
    release reaches. Values that were not measured, or must not be shown, are None.
    """

    model: str
    parameters: Mapping[str, Any] = rest()
    holds: bool | None = None
    achieved: Mapping[str, Any] | None = None
    achieved_before: Mapping[str, Any] | None = None
    nodes_over: int | None = None
    classes_over: int | None = None  # classes that violate it
    records_over: int | None = None

    @classmethod
    def of(cls, rule: Mapping[str, Any]) -> Self:
        """Return a rule of a plan before anything was measured."""
        return cls(model=rule["model"], parameters={k: v for k, v in rule.items() if k != "model"})

    @property
    def rule(self) -> dict[str, Any]:
        """Return the rule as the plan states it."""
        return {"model": self.model, **self.parameters}

    @property
    def column(self) -> str | None:
        """Return the sensitive column that the rule is about, if it names one."""
        return self.parameters.get("column")


@dataclass(frozen=True)
class NearestMiss(Part):
    """The combination of levels that violates the plan least, if none satisfies it."""

    levels: Mapping[str, int]
    suppressed: int
    allowed: int
    excess: int
    classes: int
    models: tuple[RuleVerdict, ...]
