"""Results that may be shown, made of noisy numbers only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Interval = tuple[float, float] | None


@dataclass(frozen=True)
class NoisyResult:
    """The noisy result in the words of a report: "value", "values" or "coefficients"."""

    result: Mapping[str, Any]
    sentence: str
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
