"""What every method is: a way from a problem to a combination of levels, or to "impossible"."""

import math
from abc import ABC, abstractmethod
from decimal import Decimal
from typing import Any, ClassVar, Self

from deid_portal.engine.documents import Place
from deid_portal.engine.found import Found
from deid_portal.engine.parameters import Parameter
from deid_portal.engine.problem import Problem
from deid_portal.engine.progress import Progress


class Method(ABC):
    """One way to protect a table; subclasses are frozen dataclasses of their parameters."""

    name: ClassVar[str]
    needs_quasi_identifiers: ClassVar[bool] = True

    @classmethod
    @abstractmethod
    def parse(cls, place: Place) -> Self:
        """Read a method entry of a plan."""

    @abstractmethod
    def to_document(self) -> dict[str, Any]: ...

    @abstractmethod
    def find(self, problem: Problem, progress: Progress) -> Found:
        """Return the levels to release at, or the nearest miss."""

    @abstractmethod
    def explain(self) -> str:
        """Return the sentence shown to the person choosing this method."""

    def cautions(self) -> list[str]:
        return []

    def check_problem(self, place: Place, problem: Problem) -> None:  # noqa: B027 - optional
        """Refuse parameters that do not fit this table's taxonomies."""


def suppression_limit(default: float) -> Parameter:
    """Declare the share of records that may be left out."""
    return Parameter(
        "suppression_limit",
        minimum=0,
        maximum=1,
        default=default,
        unusual_above=0.2,
        caution="A suppression limit of {value} lets many people be left out of the release.",
    )


def records_allowed(limit: float, rows: int) -> int:
    """Return how many records may be suppressed; never all of them.

    The limit is taken as the decimal a person wrote, and a share such as 1/3, which no decimal is,
    keeps its last record.
    """
    share = Decimal(str(limit)) * rows + Decimal("1e-9")
    return max(min(math.floor(share), rows - 1), 0)
