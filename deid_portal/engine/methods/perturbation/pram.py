"""PRAM and randomized response: a cell is shown as another with chances everybody may know."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.methods.changing_method import ChangingMethod, check_known_columns
from deid_portal.engine.parameters import (
    ChancesOfValues,
    ColumnNames,
    Declared,
    Flag,
    Parameter,
    TransitionMatrices,
    Value,
    ValuesByColumn,
)
from deid_portal.engine.progress import Progress
from deid_portal.engine.randomness.transition_matrix import Transition
from deid_portal.engine.report.part import Part
from deid_portal.engine.report.transformation import RandomizedCells
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Codes, Column, row_chunks

MOST_CATEGORIES = 1000
MOST_IN_REPORT = 30  # a larger matrix follows from the plan and would only fill the report
ROWS_PER_CHUNK = 1 << 20
PUBLISHED = (
    "epsilon", "values", "values_declared", "matrix", "rows", "estimated_shares",
    "standard_errors", "standard_errors_of_a_sample",
)  # fmt: skip

Values = tuple[str | None, ...]


@dataclass(frozen=True)
class Pram(ChangingMethod):
    """Every cell of some columns is shown as itself or another by a matrix of chances.

    The matrix comes from `epsilon` (k-ary randomized response), from `p` and `p_prime` (the truth
    with p; else `answer` with p_prime and the other values equally often, or without p_prime all
    values equally often), or is given cell by cell. Categories are the values the column holds, the
    gap among them, unless `values` or `matrix` lists them. If it is `invariant`, it is changed so
    that the shares of the column stay as they are on average; the matrix then depends on the table
    and promises no local privacy. It must not be published: the true shares are its stationary
    distribution, which can be computed from it.
    """

    columns: tuple[str, ...]
    epsilon: float | None = None
    p: float | None = None
    p_prime: float | None = None
    answer: str | None = None
    values: Mapping[str, Values | None] | None = None
    matrix: Mapping[str, ChancesOfValues] | None = None
    invariant: bool = False

    name: ClassVar[str] = "pram"
    column_notes: ClassVar[type[Part] | None] = RandomizedCells
    moves_cells: ClassVar[bool] = True
    title: ClassVar[str] = "Randomized response (PRAM)"
    cites: ClassVar[str] = (
        "S. L. Warner, Randomized response, JASA 60, 1965; J. M. Gouweleeuw et al., Post "
        "randomisation for statistical disclosure control, JOS 14(4), 1998."
    )
    needs_quasi_identifiers: ClassVar[bool] = False
    protects_by_chance: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (
        ColumnNames("columns"),
        Parameter(
            "epsilon",
            start=1,
            minimum=0.001,
            maximum=50,
            optional=True,
            unusual_above=5,
            caution="ε = {value} protects little: nearly every cell is shown as it is.",
        ),
        Parameter("p", minimum=0.001, maximum=1, optional=True),
        Parameter("p_prime", minimum=0, maximum=1, optional=True),
        Value("answer"),
        ValuesByColumn("values"),
        TransitionMatrices("matrix"),
        Flag("invariant"),
    )

    @classmethod
    def parse(cls, place: Place) -> Self:
        method = super().parse(place)
        designs = [name for name in ("epsilon", "p", "matrix") if name in place]
        if len(designs) != 1:
            place.refuse('exactly one of "epsilon", "p" and "matrix" is needed.')
        method._check_coins(place)
        if method.matrix is not None and set(method.matrix) != set(method.columns):
            place["matrix"].refuse('a matrix for each of "columns" and no other is needed.')
        if method.values is not None:
            if method.matrix is not None:
                place["values"].refuse('a "matrix" lists its values itself.')
            if not set(method.values) <= set(method.columns):
                place["values"].refuse('only the columns of "columns" are accepted.')
        method._check_matrices(place)
        return method

    def _check_coins(self, place: Place) -> None:
        if (self.p_prime is None) != (self.answer is None):
            place.refuse('"p_prime" needs "answer", the value said so often, and the other way.')
        if self.p is None and self.p_prime is not None:
            place["p_prime"].refuse('this goes with "p", the chance of the truth.')

    def _check_matrices(self, place: Place) -> None:
        for name, entry in (self.matrix or {}).items():
            if not self.invariant and not Transition(np.array(entry["rows"])).is_invertible:
                place["matrix"][name].refuse(
                    "this matrix cannot be inverted, so the true shares could not be estimated; "
                    "make its rows more different."
                )

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        check_known_columns(place["columns"], self.columns, roles)

    def cautions(self) -> list[str]:
        found = super().cautions()
        if self.invariant:
            found.append("An invariant matrix depends on the table: it has no local privacy.")
        elif self._is_one_sided():
            found.append(
                "With these chances some answers give the truth away: there is no level of local "
                "privacy."
            )
        return found

    def explain(self) -> str:
        return (
            "Cells are replaced at random by other values of their column with known chances: "
            "nobody can be sure of a cell, and shares can still be estimated without bias."
        )

    def change(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        noted: dict[str, RandomizedCells] = {}
        for index, name in enumerate(self.columns):
            progress.report(index, len(self.columns), "protect")
            column = _coded(draft.table[name], self._categories(draft.table[name]))
            transition = self.transition(name, column.values)
            if self.invariant:
                transition = transition.keeping(column.counts / max(len(column.codes), 1))
            codes = _change_in_chunks(transition, column.codes, generator, progress)
            shown = Column(name, column.type, codes, column.values, column.decimal)
            noted[name] = self._describe(transition, shown)
            draft = draft.with_columns(shown)
        levels = [cells.epsilon for cells in noted.values()]
        # Chances of several columns multiply, so their levels add up.
        known = [level for level in levels if level is not None]
        total = sum(known) if len(known) == len(levels) else None
        columns = {name: cells.to_document() for name, cells in noted.items()}
        return draft.noting(columns=columns, epsilon=total, is_invariant=self.invariant)

    @classmethod
    def published_figures(cls, noted: Mapping[str, Any]) -> dict[str, Any]:
        """Return the chances of columns whose categories the plan declares.

        Where it does not, they are those of the original, some perhaps of people left out. An
        invariant matrix is made from the true shares and stays, and so do standard errors, which
        follow from it. Notes of earlier versions do not say whether a matrix is invariant.
        """
        if noted.get("is_invariant", True):
            return {}
        declared = {
            name: {key: figures[key] for key in figures if key in PUBLISHED}
            for name, figures in noted["columns"].items()
            if RandomizedCells.from_document(figures).are_values_declared
        }
        is_all = len(declared) == len(noted["columns"])
        return {"columns": declared, **({"epsilon": noted["epsilon"]} if is_all else {})}

    def _categories(self, column: Column) -> Values:
        if self.matrix is not None:
            return self.matrix[column.name]["values"]
        declared = (self.values or {}).get(column.name)
        if declared is not None:
            return declared
        used = np.flatnonzero(column.counts).tolist()
        return tuple(column.values[code] for code in sorted(used, key=column.sort_key))

    def transition(self, name: str, values: Values) -> Transition:
        """Return the matrix designed for a column with these categories."""
        if self.matrix is not None:
            return Transition(np.array(self.matrix[name]["rows"]))
        if len(values) > MOST_CATEGORIES:
            raise InvalidPlan(
                f'method.columns: the column "{name}" has {len(values)} different values, more '
                f"than the {MOST_CATEGORIES} that can be randomized; make it coarser first."
            )
        if self.epsilon is not None:
            return Transition.for_epsilon(self.epsilon, len(values))
        truth = 1.0 if self.p is None else self.p
        return Transition.truth_or_draw(truth, self._drawn(name, values))

    def _drawn(self, name: str, values: Sequence[str | None]) -> Numbers:
        """Return the chances of what is said in place of the truth."""
        if self.p_prime is None or len(values) < 2:
            return np.full(len(values), 1 / max(len(values), 1))
        if self.answer not in values:
            raise InvalidPlan(
                f'method.answer: this is not among the values of the column "{name}"; name one '
                f"that is."
            )
        drawn = np.full(len(values), (1 - self.p_prime) / (len(values) - 1))
        drawn[values.index(self.answer)] = self.p_prime
        return drawn

    def _describe(self, transition: Transition, shown: Column) -> RandomizedCells:
        """Return what an analyst needs: the chances, and the true shares by what is shown.

        Unless the matrix is invariant, the true cells are not used, so this reveals no more than
        the released column.
        """
        if self.invariant:
            estimate, has_level = transition.read_directly(shown.counts), False
        else:
            estimate, has_level = transition.estimate(shown.counts), np.isfinite(transition.epsilon)
        small = transition.categories <= MOST_IN_REPORT
        declared = self.matrix is not None or bool((self.values or {}).get(shown.name))
        return RandomizedCells(
            epsilon=transition.epsilon if has_level else None,
            values=tuple(shown.values),
            values_declared=declared,
            matrix=transition.matrix.tolist() if small else None,
            rows=len(shown.codes),
            counts=shown.counts.tolist(),
            estimated_shares=estimate.shares.tolist(),
            standard_errors=estimate.errors.tolist(),
            standard_errors_of_a_sample=estimate.sampling_errors.tolist(),
        )

    def _is_one_sided(self) -> bool:
        if self.matrix is not None:
            matrices = (Transition(np.array(entry["rows"])) for entry in self.matrix.values())
            return any(np.isinf(transition.epsilon) for transition in matrices)
        return self.p == 1 or (self.p is not None and self.p_prime in (0.0, 1.0))


def _coded(column: Column, values: Values) -> Column:
    """Return the column coded by these categories."""
    numbers = {value: code for code, value in enumerate(values)}
    used = [column.values[code] for code in np.flatnonzero(column.counts)]
    foreign = sum(value not in numbers for value in used)
    if foreign:
        raise InvalidPlan(
            f'method: {foreign} values of the column "{column.name}" are not among those listed '
            f"for it; list them too, null for a gap."
        )
    codes = np.array([numbers.get(value, 0) for value in column.values], np.int32)
    own = codes[column.codes] if len(column.codes) else column.codes
    return Column(column.name, column.type, own, values, column.decimal)


def _change_in_chunks(
    transition: Transition, codes: Codes, generator: np.random.Generator, progress: Progress
) -> Codes:
    shown = np.empty(len(codes), np.int32)
    for chunk in row_chunks(len(codes), ROWS_PER_CHUNK):
        progress.report(chunk.start, len(codes), "protect")
        shown[chunk] = transition.change(codes[chunk], generator)
    return shown
