"""The attacks that the plan asked for, and their results."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deid_portal.engine.report.part import Part, null, rest


@dataclass(frozen=True, kw_only=True)
class PlannedAttackEntry(Part):
    """An attack as the plan asks for it; `parameters` differ by kind of attack."""

    attack: str
    parameters: Mapping[str, Any] = rest()
    column: str | None = null()
    outside: str | None = None
    control: str | None = None
    person: str | None = None
    explain: str


@dataclass(frozen=True, kw_only=True)
class AttackFinding(PlannedAttackEntry):
    """The result of an attack; `figures` holds counts that only this kind of attack has."""

    value: float
    interval: tuple[float, float]
    control_value: float | None = null()
    records: int
    sentence: str
    figures: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class AttackProblem(PlannedAttackEntry):
    """The reason why an attack could not be made."""

    column: str | None = None
    problem: str
