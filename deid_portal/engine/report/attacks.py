"""Attacks on the release that the plan asked for, and how they went."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deid_portal.engine.report.part import Part, null, rest


@dataclass(frozen=True, kw_only=True)
class PlannedAttackEntry(Part):
    """An attack as the plan asks for it; `parameters` are its own."""

    attack: str
    parameters: Mapping[str, Any] = rest()
    column: str | None = null()
    outside: str | None = None
    control: str | None = None
    person: str | None = None
    explain: str


@dataclass(frozen=True, kw_only=True)
class AttackFinding(PlannedAttackEntry):
    """How well an attack went; `figures` are what else it counted."""

    value: float
    interval: tuple[float, float]
    control_value: float | None = null()
    records: int
    sentence: str
    figures: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class AttackProblem(PlannedAttackEntry):
    """Why an attack could not be made."""

    column: str | None = None
    problem: str
