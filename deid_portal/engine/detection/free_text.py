"""Free text: cells in which somebody wrote what came to mind, which may name anybody.

No taxonomy makes it coarser and no check finds everything in it, so nothing is suggested for such a
column: a person says whether it stays out.
"""

import re
from dataclasses import dataclass

from deid_portal.engine.detection.value_patterns import Mention, find_mention
from deid_portal.engine.table.table import Column
from deid_portal.engine.table.values import ColumnType

MOST_VALUES = 500
FEWEST_VALUES = 3
VARIED = 0.15  # share of filled cells that are different: labels of categories come again and again
LONG = 60
MANY_WORDS = 6
SEVERAL_WORDS = 2.5
SENTENCES = re.compile(r"[a-zà-ÿ0-9][.;!?](\s|$)|,\s[^\W\d_]")
SALUTATION = re.compile(
    r"\b(Herrn?|Frau|Fr\.|Mrs?|Ms|Mme|Mlle|Sra?|Sig|Dhr|Mw|Mevr|Pan|Pani|Dr|Dott|Fru)\b\.?\s+[A-ZÀ-Ý]"
)
PHONE = re.compile(r"(?<!\d)(\+\d{2}|0\d{1,4})[ /.-]?\d[\d /.-]{4,}\d(?!\d)")


@dataclass(frozen=True)
class FreeText:
    """What speaks for free text: figures of the different values, never a value."""

    words: float  # on average
    wordy: float  # share of six words and more
    sentences: float  # share with the signs of sentences
    people: int  # values with a salutation or a telephone number
    mention: Mention | None

    def explain(self) -> str:
        """Say what the texts are and what was seen in them."""
        seen = f"{self.words:.0f} words on average"
        if self.mention is not None:
            return f"{seen}; {self.mention.values:,} of those looked at hold {self.mention.words}."
        if self.people:
            return f"{seen}; {self.people:,} of those looked at address or call somebody."
        return f"{seen}: anybody may be named in it."


def find_free_text(column: Column, varied: float, is_announced: bool) -> FreeText | None:
    """Say whether cells are sentences rather than labels.

    `varied` is the share of filled cells that are different; `is_announced` says that the heading
    speaks of remarks.
    """
    if column.type != ColumnType.TEXT:
        return None
    values = column.texts.first(MOST_VALUES)
    if len(values) < FEWEST_VALUES or varied < VARIED:
        return None
    counts = [len(value.split()) for value in values]
    found = FreeText(
        sum(counts) / len(values),
        sum(count >= MANY_WORDS for count in counts) / len(values),
        sum(bool(SENTENCES.search(value)) for value in values) / len(values),
        sum(bool(SALUTATION.search(value) or PHONE.search(value)) for value in values),
        find_mention(column),
    )
    is_long = sum(map(len, values)) / len(values) > LONG and found.words >= MANY_WORDS
    is_wordy = found.wordy >= 0.3 and (found.sentences >= 0.3 or found.wordy >= 0.6)
    return found if is_long or is_wordy or (is_announced and found.words >= SEVERAL_WORDS) else None
