"""What a network plan may ask to be measured beyond what every report has."""

from dataclasses import dataclass
from typing import Any

from deid_portal.engine.documents import Place

ATTACKS = ("active",)


@dataclass(frozen=True)
class NetworkMeasures:
    """Attacks that take a run of their own, and how often they are repeated."""

    attacks: tuple[str, ...] = ()
    repeats: int = 20

    @classmethod
    def parse(cls, place: Place) -> "NetworkMeasures":
        place.check_keys(optional=("attacks", "repeats"))
        attacks = place["attacks"].items() if "attacks" in place else []
        repeats = place["repeats"].integer() if "repeats" in place else cls.repeats
        if not 1 <= repeats <= 100:
            place["repeats"].refuse("a whole number from 1 to 100 is accepted.")
        return cls(tuple(item.choice(ATTACKS) for item in attacks), repeats)

    @property
    def is_asked(self) -> bool:
        return bool(self.attacks)

    def to_document(self) -> dict[str, Any]:
        return {"attacks": list(self.attacks), "repeats": self.repeats}


NO_MEASURES = NetworkMeasures()
