"""What an answer costs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PrivacyPrice:
    """An (ε, δ) guarantee; δ is 0 for pure differential privacy."""

    epsilon: float
    delta: float = 0.0

    def part(self, of: int) -> "PrivacyPrice":
        """Return one of so many equal parts, which together cost no more than the whole."""
        return PrivacyPrice(self.epsilon / of, self.delta / of)

    def to_document(self) -> dict[str, float]:
        return {"epsilon": self.epsilon, "delta": self.delta}
