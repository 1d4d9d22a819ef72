"""The recipe of a taxonomy: its description in a plan, not yet applied to a column."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from deid_portal.engine.documents import Place
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies.taxonomy import ROOT_LABEL, Taxonomy

ReadFile = Callable[[str], bytes]


class Recipe(ABC):
    """One kind of taxonomy; subclasses say how labels are made from values.

    A value without a path is uncovered: `build` refuses columns that have any, `uncovered` lists
    them for the one page where a steward places them.
    """

    kind: ClassVar[str]

    @classmethod
    @abstractmethod
    def parse(cls, place: Place, read_file: ReadFile | None) -> "Recipe":
        """Read the taxonomy entry of a column in a plan: an object with this kind's key."""

    @abstractmethod
    def to_document(self) -> dict[str, Any]:
        """Return the whole taxonomy entry of a plan."""

    @abstractmethod
    def paths(self, column: Column) -> dict[str, tuple[str, ...]]:
        """Return the labels above each covered value, finest first, without the value itself."""

    def level_names(self, column: Column) -> tuple[str, ...] | None:
        """Return a word per level, or None for plain numbering."""
        return None

    def gap_path(self, levels: int, root: str) -> tuple[str | None, ...]:
        """Return the labels above a gap: it stays a gap until the root hides it."""
        return (*[None] * (levels - 1), root)[:levels] if levels else ()

    def uncovered(self, column: Column) -> list[str]:
        """Return the values of the column that have no place in the taxonomy."""
        covered = self.paths(column)
        return [text for text in column.values if text is not None and text not in covered]

    def build(self, column: Column) -> Taxonomy:
        """Return the taxonomy of a column all of whose values are covered."""
        covered = self.paths(column)
        values = set(column.values)
        missing = len(values - covered.keys() - {None})
        if missing:
            raise InvalidPlan(
                f'{missing} values of column "{column.name}" have no place in the taxonomy.'
            )
        absent = [text for text in covered if text not in values]
        above = next(iter(covered.values()), (ROOT_LABEL,))
        gap = self.gap_path(len(above), above[-1] if above else ROOT_LABEL)
        paths = [
            (text, *(gap if text is None else covered[text])) for text in (*column.values, *absent)
        ]
        if not paths:
            paths = [(None, *gap)]
        return Taxonomy.from_paths(paths, self.level_names(column))
