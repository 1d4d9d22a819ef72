"""Changes after which a plan without a solution has one; `kind` says what to change.

`suppressed` and `loss` are what the changed plan would release.
"""

from dataclasses import dataclass
from typing import Literal

from deid_portal.engine.report.part import Part


@dataclass(frozen=True, kw_only=True)
class LimitRemedy(Part):
    """Leave out more: the share of records that must be allowed to be left out."""

    kind: Literal["limit"]
    from_: float
    to: float
    suppressed: int
    loss: float


@dataclass(frozen=True, kw_only=True)
class RuleRemedy(Part):
    """Ask for less: another number in a rule."""

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
    """Do without a rule."""

    kind: Literal["without-rule"]
    model: str
    column: str | None = None
    suppressed: int
    loss: float


@dataclass(frozen=True, kw_only=True)
class LevelRemedy(Part):
    """Show less: one step coarser in a column whose level was chosen by hand."""

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
    """Leave out a sensitive column with the rules about it."""

    kind: Literal["secret"]
    column: str
    models: tuple[str, ...]
    suppressed: int
    loss: float


@dataclass(frozen=True, kw_only=True)
class ColumnRemedy(Part):
    """Leave out a quasi-identifier; its detail counts as lost."""

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
