"""What the values of a column become where each is shown as another, the same in every row."""

from dataclasses import dataclass

import numpy as np

from deid_portal.engine.table.table import Codes, Column
from deid_portal.engine.table.values import infer_type


@dataclass(frozen=True, eq=False)
class Restatement:
    """A new code per value of a dictionary, and the text of each new code; texts differ."""

    codes: Codes
    values: tuple[str | None, ...]

    def of(self, column: Column) -> Column:
        """Return the column whose dictionary this was made for, with the new values."""
        codes = self.codes[column.codes] if len(column.codes) else column.codes
        type = infer_type(self.values, column.decimal)
        return Column(column.name, type, codes.astype(np.int32), self.values, column.decimal)

    @classmethod
    def to_texts(cls, texts: list[str | None]) -> "Restatement":
        """Return the restatement to these texts, one per value of the dictionary."""
        joined = {text: code for code, text in enumerate(dict.fromkeys(texts))}
        return cls(np.array([joined[text] for text in texts], np.int32), tuple(joined))
