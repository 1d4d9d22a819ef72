"""Methods that leave quasi-identifiers exact and mix sensitive values within groups."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.documents import Place, quoted
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.methods.changing_method import ChangingMethod
from deid_portal.engine.methods.separation import kernels
from deid_portal.engine.privacy.beta_likeness import BetaLikeness
from deid_portal.engine.privacy.confidence_bounding import ConfidenceBounding
from deid_portal.engine.privacy.delta_disclosure import DeltaDisclosure
from deid_portal.engine.privacy.epsilon_m_anonymity import EpsilonMAnonymity
from deid_portal.engine.privacy.interval_disclosure import IntervalDisclosure
from deid_portal.engine.privacy.k_e_anonymity import KEAnonymity
from deid_portal.engine.privacy.l_diversity import LDiversity
from deid_portal.engine.privacy.t_closeness import TCloseness
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.table import Codes, Column
from deid_portal.engine.table.values import ColumnType

# With unchanged quasi-identifiers only models of the uncertainty of a sensitive value can hold.
ABOUT_VALUES = (
    LDiversity,
    TCloseness,
    ConfidenceBounding,
    KEAnonymity,
    EpsilonMAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    IntervalDisclosure,
)
GROUP = "group"
NUMBERS_AT_ONCE = 1 << 20


class SeparatingMethod(ChangingMethod):
    """Groups of records that keep everything but their sensitive values, which are mixed.

    The release has a column with the number of the group. Sensitive columns named in `together`
    move with the one the groups are made by, each record's values as they belong together; none
    may stay behind, it would stand beside exact quasi-identifiers.
    """

    column: str
    together: tuple[str, ...] | None

    protects_by_chance: ClassVar[bool] = True

    @abstractmethod
    def group(self, column: Column, generator: np.random.Generator, progress: Progress) -> Codes:
        """Return the group of each row, numbered from 0; an empty array if no such groups exist."""

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column, *(self.together or ()))

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        sensitive = [name for name, role in roles.items() if role == "sensitive"]
        for key, names in (("column", [self.column]), ("together", self.together or ())):
            if not all(name in sensitive for name in names):
                place[key].refuse(
                    f"the name of a sensitive column is accepted; the plan has {quoted(sensitive)}."
                    if sensitive
                    else "the plan has no sensitive column; give one that role first."
                )
        if self.column in (self.together or ()):
            place["together"].refuse('name other columns than "column".')
        left = [name for name in sensitive if name not in self.columns]
        if left:
            place["together"].refuse(
                f"{quoted(left)} would stay beside exact quasi-identifiers; name all other "
                f"sensitive columns here."
            )

    def check_problem(self, place: Place, problem: Problem) -> None:
        for model in problem.models:
            if not isinstance(model, ABOUT_VALUES):
                place.refuse(
                    f"{self.name} leaves quasi-identifiers exact, so nothing can be promised with "
                    f"{model.name}; choose another method, or a model about sensitive values such "
                    f"as l-diversity."
                )

    def change(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        groups = self.group(draft.table[self.column], generator, progress)
        if not len(groups):
            return draft.keep(np.zeros(draft.table.rows, np.bool_))
        source = shuffle_within_groups(groups, generator, progress)
        moved = [draft.table[name].take(source) for name in self.columns]
        progress.report(0, 1, "protect")
        numbers = group_number_column(groups, draft.table.names, progress)
        progress.report(0, 1, "protect")
        sizes = np.bincount(groups)
        changed = draft.with_columns(*moved, numbers).noting(
            groups=len(sizes),
            smallest=int(sizes.min()),
            largest=int(sizes.max()),
            group_column=numbers.name,
        )
        return replace(changed, groups=groups)

    @classmethod
    def published_figures(cls, noted: Mapping[str, Any]) -> dict[str, Any]:
        """Return the name of the column with group numbers, which the release shows anyway."""
        return {"group_column": noted["group_column"]}


def shuffle_within_groups(
    groups: Codes, generator: np.random.Generator, progress: Progress
) -> NDArray[np.intp]:
    """Return, for each row, a row of its group to take the values of; every row is taken once."""
    everyone = np.arange(len(groups), dtype=np.int32)
    progress.report(0, 4, "protect")
    in_order = order_rows(everyone, groups)
    progress.report(1, 4, "protect")
    shuffled = generator.permutation(everyone)
    progress.report(2, 4, "protect")
    mixed = order_rows(shuffled, groups)
    progress.report(3, 4, "protect")
    source = np.empty(len(groups), np.intp)
    source[in_order] = mixed
    return source


def order_rows(rows: Codes, numbers: Codes) -> Codes:
    """Return rows in the order of their numbers, equal ones as they stand."""
    counts = np.bincount(numbers, minlength=1)
    return kernels.sort_rows(rows, numbers, np.cumsum(counts) - counts)


def group_number_column(groups: Codes, taken: tuple[str, ...], progress: Progress) -> Column:
    """Return the numbers of groups, from 1 on, as a column under a name that is free."""
    name, suffix = GROUP, 1
    while name in taken:
        suffix += 1
        name = f"{GROUP}_{suffix}"
    values: list[str] = []
    count = int(groups.max()) + 1
    for start in range(0, count, NUMBERS_AT_ONCE):
        progress.report(start, count, "protect")
        stop = min(start + NUMBERS_AT_ONCE, count)
        values.extend(str(number + 1) for number in range(start, stop))
    progress.report(0, 1, "protect")
    return Column(name, ColumnType.INTEGER, groups, tuple(values))
