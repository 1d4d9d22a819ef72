"""One taxonomy of the built-in library."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies.outline import Outline, Path
from deid_portal.engine.taxonomies.recipe import Recipe
from deid_portal.engine.taxonomies.taxonomy import ROOT_LABEL


@dataclass(frozen=True)
class ShelfEntry(ABC):
    """A taxonomy that knows which values it covers, however many a column has."""

    slug: str
    name: str
    levels: str  # what stands at each level, in words
    source: str  # who publishes the classification, and its edition
    examples: tuple[str, ...] = field(default=(), kw_only=True, repr=False)

    @property
    def is_list(self) -> bool:
        """Say whether it covers just the values it shows, in any spelling."""
        return False

    @property
    def bounds(self) -> tuple[int, int] | None:
        """Return the lowest and highest whole number it covers, if it covers just those."""
        return None

    def shown(self) -> tuple[str, ...]:
        """Return values to preview it with: all it covers, or examples of its rule."""
        return self.examples

    @abstractmethod
    def covered(self, column: Column) -> Mapping[str, Path]:
        """Return the labels above each value of the column that it knows, the root last."""

    def outline(self, column: Column) -> Outline:
        return Outline.from_covered(self.covered(column), column)


@dataclass(frozen=True)
class NamedPlaces(ShelfEntry):
    """Values looked up by name or code, whatever their case."""

    paths: Mapping[str, tuple[str, ...]]  # the value in lower case -> its groups, finest first

    @property
    def is_list(self) -> bool:
        return True

    def covered(self, column: Column) -> Mapping[str, Path]:
        found = {
            value: self.paths.get(value.strip().casefold()) for value in column.values if value
        }
        return {value: (*path, ROOT_LABEL) for value, path in found.items() if path}


@dataclass(frozen=True)
class CodeTree(ShelfEntry):
    """Codes whose groups follow from how they are written."""

    def covered(self, column: Column) -> Mapping[str, Path]:
        found = {value: self.groups_of(value.strip()) for value in column.values if value}
        return {value: (*path, ROOT_LABEL) for value, path in found.items() if path}

    @abstractmethod
    def groups_of(self, code: str) -> tuple[str, ...]:
        """Return the groups of a code, finest first; nothing if it is none."""


@dataclass(frozen=True)
class FromRecipe(ShelfEntry):
    recipe: Recipe

    def covered(self, column: Column) -> Mapping[str, Path]:
        return self.recipe.paths(column)
