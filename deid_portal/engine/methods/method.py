"""The interface of every method: its parameters in a plan, and how it changes a draft."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from decimal import Decimal
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.draft.draft import Search, TableDraft
from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.privacy import PrivacyModel
from deid_portal.engine.progress import Progress
from deid_portal.engine.report.part import Part
from deid_portal.engine.search.incumbent import SearchResult
from deid_portal.engine.search.lattice import Levels
from deid_portal.engine.search.problem import Problem


class Method(ABC):
    """One way to protect a table; subclasses are frozen dataclasses of their parameters."""

    name: ClassVar[str]
    title: ClassVar[str]  # what a person reads
    cites: ClassVar[str]
    parameters: ClassVar[tuple[Declared, ...]] = ()
    needs_quasi_identifiers: ClassVar[bool] = True
    protects_by_chance: ClassVar[bool] = False  # repeating its draws undoes it
    is_private: ClassVar[bool] = False  # differentially private; takes no seed
    breaks_ties_by_order: ClassVar[bool] = False  # so rows are sorted by content before
    moves_cells: ClassVar[bool] = False  # shows values that are not the person's own
    makes_classes: ClassVar[bool] = False  # makes the models hold
    leaves_out_nobody: ClassVar[bool] = False  # but may find no solution
    searches_all_levels: ClassVar[bool] = False  # all combinations, by a metric
    is_in_plain_view: ClassVar[bool] = False  # offered without asking for the expert view
    can_be_swept: ClassVar[bool] = False  # needs nothing but its name; the rest is as usual
    column_notes: ClassVar[type[Part] | None] = None  # what it notes of each column, if it does
    takes_levels: ClassVar[bool] = False  # a person chose them, so there is nothing to search
    can_be_estimated: ClassVar[bool] = False  # by one search of levels, or by those given
    amount: ClassVar[str] = ""  # the parameter with how much chance changes, as a number
    numbers_its_groups: ClassVar[bool] = False  # in a column of its own; equal cells do not tell

    @classmethod
    @abstractmethod
    def parse(cls, place: Place) -> Self:
        """Read a method entry of a plan."""

    @abstractmethod
    def to_document(self) -> dict[str, Any]: ...

    @abstractmethod
    def apply(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        """Return the changed draft; one without rows means that nobody can be shown."""

    @abstractmethod
    def explain(self) -> str:
        """Return the sentence shown to the person choosing this method."""

    @property
    def levels_of_sensitive(self) -> Mapping[str, int]:
        """Return the levels of their taxonomies at which it shows sensitive columns."""
        return {}

    @classmethod
    def published_figures(cls, noted: Mapping[str, Any]) -> dict[str, Any]:
        """Return the part of its notes that may be published: only what plan or release reveal.

        The figures of a differential privacy guarantee follow from the plan.
        """
        return dict(noted) if cls.is_private else {}

    def cautions(self) -> list[str]:
        return []

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:  # noqa: B027
        """Refuse columns that the plan does not have or gives another role."""

    def check_models(self, place: Place, models: Sequence[PrivacyModel]) -> None:  # noqa: B027
        """Refuse rules of the plan that make no sense after this method."""

    def check_problem(self, place: Place, problem: Problem) -> None:  # noqa: B027 - optional
        """Refuse parameters that do not fit this table."""


class RecodingMethod(Method):
    """A method that shows every value as a label of its taxonomy, at levels it chooses."""

    makes_classes: ClassVar[bool] = True
    metric: str = "loss"  # whose cost the search minimizes
    suppression_limit: float = 0.0
    may_beat_estimate: ClassVar[bool] = False  # does at least as well as one level per column
    searches_again: ClassVar[int] = 1  # how many times as long as one search it usually takes

    @abstractmethod
    def find(self, problem: Problem, progress: Progress) -> SearchResult:
        """Return the levels to release at, or the nearest miss."""

    def levels_without_search(self, names: Sequence[str]) -> Levels | None:
        """Return the levels it shows these columns at, where the plan alone says that."""
        return None

    def apply(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        problem = draft.pose(progress)
        progress.report(0, 1, "search")
        started = perf_counter()
        found = self.find(problem, progress)
        seconds = perf_counter() - started
        progress.report(1, 1, "search", nodes=found.nodes, checked=found.checked)
        recoded = draft.recoded(Search(problem, found, self.metric, seconds))
        left_out = draft.table.rows - recoded.table.rows
        return recoded.noting(method=self.name, left_out=left_out, seconds=round(seconds, 3))


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

    The limit is read as the decimal that was written, and a share such as 1/3, which no decimal
    equals, is not rounded down to one record less.
    """
    share = Decimal(str(limit)) * rows + Decimal("1e-9")
    return max(min(math.floor(share), rows - 1), 0)
