"""Hiding a text character by character: 13053, 1305*, 130**, …, *****."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies.recipe import ReadFile, Recipe
from deid_portal.engine.taxonomies.taxonomy import Taxonomy, encode


@dataclass(frozen=True)
class MaskTaxonomy(Recipe):
    """Level i hides i characters; the last level hides the longest value whole.

    Shorter values keep their own length while a character of theirs shows, so lengths never mix
    before the root.
    """

    side: str = "right"
    character: str = "*"

    kind: ClassVar[str] = "mask"

    @classmethod
    def parse(cls, place: Place, read_file: ReadFile | None) -> "MaskTaxonomy":
        place.check_keys(required=("mask",))
        mask = place["mask"]
        mask.check_keys(optional=("from", "character"))
        side = mask["from"].choice(("right", "left")) if "from" in mask else "right"
        character = mask["character"].text() if "character" in mask else "*"
        if len(character) != 1:
            mask["character"].refuse("a single character is accepted.")
        return cls(side, character)

    def to_document(self) -> dict[str, Any]:
        return {"mask": {"from": self.side, "character": self.character}}

    def paths(self, column: Column) -> dict[str, tuple[str, ...]]:
        texts = [text for text in column.values if text is not None]
        longest = max((len(text) for text in texts), default=1)
        root = self.character * longest
        return {
            text: (*(self._mask(text, hidden) for hidden in range(1, longest)), root)
            for text in texts
        }

    def uncovered(self, column: Column) -> list[str]:
        return []

    def build(self, column: Column) -> Taxonomy:
        """Hide characters one by one, each in the few labels of the level before."""
        longest = max((len(text) for text in column.values if text is not None), default=0)
        if not longest:
            return super().build(column)
        labels: tuple[str | None, ...] = column.values
        codes = np.arange(len(labels), dtype=np.int32)
        levels = []
        for hidden in range(1, longest):
            step, labels = encode([self._hide_more(label, hidden) for label in labels])
            codes = step[codes]
            levels.append((codes, labels))
        levels.append((np.zeros(len(codes), np.int32), (self.character * longest,)))
        return Taxonomy.from_levels(column.values, levels, self.level_names(column))

    def level_names(self, column: Column) -> tuple[str, ...]:
        longest = max((len(text) for text in column.values if text is not None), default=1)
        middle = (f"{hidden} hidden" for hidden in range(1, longest))
        return ("exact", *middle, "hidden")

    def _hide_more(self, label: str | None, hidden: int) -> str | None:
        return None if label is None else self._mask(label, hidden)

    def _mask(self, text: str, hidden: int) -> str:
        shown = max(len(text) - hidden, 0)
        stars = self.character * (len(text) - shown)
        return text[:shown] + stars if self.side == "right" else stars + text[len(text) - shown :]
