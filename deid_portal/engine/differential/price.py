"""What an answer costs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Price:
    """An (ε, δ) promise; δ is 0 where the promise is kept without exception."""

    epsilon: float
    delta: float = 0.0

    def part(self, of: int) -> "Price":
        """Return one of so many equal parts, which together cost no more than the whole."""
        return Price(self.epsilon / of, self.delta / of)

    def to_document(self) -> dict[str, float]:
        return {"epsilon": self.epsilon, "delta": self.delta}
