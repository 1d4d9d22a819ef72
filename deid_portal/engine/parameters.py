"""Parameters declared as data, each value answered three ways: fine, unusual, refused."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from deid_portal.engine.documents import Place


@dataclass(frozen=True)
class Parameter:
    """A number a person may choose.

    Outside `minimum`..`maximum` it is refused. Under `unusual_below` or over `unusual_above` it is
    accepted with `caution`, a sentence with room for the value: "k = {value} protects little."
    """

    name: str
    minimum: float
    maximum: float = float("inf")
    whole: bool = False
    default: float | None = None
    unusual_below: float = float("-inf")
    unusual_above: float = float("inf")
    caution: str = ""
    optional: bool = False  # absent without a default is None

    def read(self, place: Place) -> Any:
        """Return the value standing in a document, or the default where it is absent."""
        if self.name not in place and (self.optional or self.default is not None):
            return self.default
        here = place[self.name]
        if self.name not in place:
            here.refuse(f"this is required: {self.range_words()}.")
        number = here.integer() if self.whole else float(here.number())
        if not self.minimum <= number <= self.maximum:
            here.refuse(f"{self.range_words()} is accepted, got {number}.")
        return number

    def caution_for(self, value: float | None) -> str:
        """Return the sentence a person should see before going on, or nothing."""
        if value is None or self.unusual_below <= value <= self.unusual_above:
            return ""
        return self.caution.format(value=value)

    def range_words(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        if self.maximum == float("inf"):
            return f"{kind} of {self.minimum:g} or more"
        return f"{kind} from {self.minimum:g} to {self.maximum:g}"


@dataclass(frozen=True)
class Choice:
    """One word out of several; the first is the default unless it is required."""

    name: str
    choices: Sequence[str]
    not_yet: Sequence[str] = ()
    required: bool = False

    def read(self, place: Place) -> str:
        if self.name not in place and not self.required:
            return self.choices[0]
        here = place[self.name]
        if here.value in self.not_yet:
            here.refuse(
                f'"{here.value}" is not available yet; available: {", ".join(self.choices)}.'
            )
        return here.choice(self.choices)

    def caution_for(self, value: str) -> str:
        return ""


@dataclass(frozen=True)
class ColumnName:
    """The name of a column of the plan."""

    name: str = "column"

    def read(self, place: Place) -> str:
        if self.name not in place:
            place[self.name].refuse("this is required: the name of a sensitive column.")
        return place[self.name].text()

    def caution_for(self, value: str) -> str:
        return ""


Declared = Parameter | Choice | ColumnName
