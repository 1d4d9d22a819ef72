"""Changes that make an infeasible plan feasible; `kind` says what to change.

`suppressed` and `loss` are what the changed plan would release.
"""

from dataclasses import dataclass
from typing import Literal

from deid_portal.engine.report.part import Part


@dataclass(frozen=True, kw_only=True)
class LimitRemedy(Part):
    """Allow more suppression: the suppression limit that is needed."""

    kind: Literal["limit"]
    from_: float
    to: float
    suppressed: int
    loss: float


@dataclass(frozen=True, kw_only=True)
class RuleRemedy(Part):
    """Relax a rule: another value of its parameter."""

    kind: Literal["rule"]
    model: str
    column: str | None = None
    parameter: str
    from_: float
    to: float
    suppressed: int
    loss: float


@dataclass(frozen=True, kw_only=True)
class WithoutRuleRemedy(Part):
    """Drop a rule."""

    kind: Literal["without-rule"]
    model: str
    column: str | None = None
    suppressed: int
    loss: float


@dataclass(frozen=True, kw_only=True)
class LevelRemedy(Part):
    """Generalize a column with a level chosen by hand by one more level."""

    kind: Literal["level"]
    column: str
    from_: int
    to: int
    level_name: str
    suppressed: int
    loss: float


@dataclass(frozen=True, kw_only=True)
class MethodRemedy(Part):
    """Let another method choose the levels."""

    kind: Literal["method"]
    method: str
    suppressed: int
    loss: float


@dataclass(frozen=True, kw_only=True)
class SecretRemedy(Part):
    """Drop a sensitive column and the rules about it."""

    kind: Literal["secret"]
    column: str
    models: tuple[str, ...]
    suppressed: int
    loss: float


@dataclass(frozen=True, kw_only=True)
class ColumnRemedy(Part):
    """Drop a quasi-identifier; its detail counts as lost."""

    kind: Literal["column"]
    column: str
    suppressed: int
    loss: float


FoundRemedy = (
    LimitRemedy
    | RuleRemedy
    | WithoutRuleRemedy
    | LevelRemedy
    | MethodRemedy
    | SecretRemedy
    | ColumnRemedy
)
