"""What is known of an answer beforehand, without the table."""

from dataclasses import dataclass
from typing import Any

CONFIDENCE = 0.95


@dataclass(frozen=True)
class NoiseForecast:
    """How much noise an answer will have.

    `half_width` is None where no accuracy can be said beforehand; `sentence` says what is known.
    `rows` is the number of rows it was computed for, where it depends on that; `example` says what
    it means for a made-up column with the declared bounds.
    """

    mechanism: str
    sensitivity: float
    sensitivity_words: str
    scale: float
    half_width: float | None
    sentence: str
    confidence: float = CONFIDENCE
    assumptions: tuple[str, ...] = ()
    rows: int | None = None
    example: str = ""

    def to_document(self) -> dict[str, Any]:
        return {
            "mechanism": self.mechanism,
            "sensitivity": self.sensitivity,
            "sensitivity_words": self.sensitivity_words,
            "scale": self.scale,
            "half_width": self.half_width,
            "confidence": self.confidence,
            "sentence": self.sentence,
            "assumptions": list(self.assumptions),
            "rows": self.rows,
            "example": self.example,
        }
