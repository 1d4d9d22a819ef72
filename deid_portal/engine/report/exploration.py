"""The combinations of levels a search checked. It counts suppressed records, so is for stewards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deid_portal.engine.report.part import Part, null


@dataclass(frozen=True)
class LevelledColumn(Part):
    """A column of the search space, and the names of its levels from the finest."""

    column: str
    levels: tuple[str, ...]


@dataclass(frozen=True)
class CheckedCombination(Part):
    """One combination; `value` is what the metric says of it, None if the plan refuses it."""

    levels: tuple[int, ...]
    suppressed: int
    value: float | None = null()

    @property
    def satisfies(self) -> bool:
        return self.value is not None


@dataclass(frozen=True)
class Exploration(Part):
    """The best combinations first; `satisfying` counts all that were found, also those not listed.

    `allowed` is the number of records that may be suppressed.
    """

    metric: str
    allowed: int
    satisfying: int
    columns: tuple[LevelledColumn, ...]
    combinations: tuple[CheckedCombination, ...]

    @property
    def names(self) -> list[str]:
        return [own.column for own in self.columns]

    def levels_of(self, levels: Mapping[str, int]) -> tuple[int, ...]:
        """Return levels by column as they stand in a combination; a column not named is exact."""
        return tuple(levels.get(name, 0) for name in self.names)

    def by_column(self, levels: Sequence[int]) -> dict[str, int]:
        return dict(zip(self.names, levels, strict=True))

    def hidden_by(self, levels: Sequence[int]) -> frozenset[str]:
        """Return the columns of which such levels show one label for everybody."""
        tops = ((own.column, len(own.levels) - 1) for own in self.columns)
        return frozenset(
            name for (name, top), level in zip(tops, levels, strict=True) if 0 < level == top
        )

    def find(self, levels: Sequence[int]) -> CheckedCombination | None:
        wanted = tuple(levels)
        return next((own for own in self.combinations if own.levels == wanted), None)
