"""The stored result of an attack: numbers and names of columns, no cells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from deid_portal.attacks.kinds import traits_of
from deid_portal.engine.attack_cases.case import AttackAnswer
from deid_portal.engine.attack_cases.verdict import AttackVerdict, judge_attack
from deid_portal.engine.attacks.attack import AttackBins, Bin, Stake
from deid_portal.engine.attacks.attack_figures import AttackFigures


@dataclass(frozen=True)
class TriedRemedy:
    """A change of the plan that was applied and attacked again, with its effect and cost."""

    title: str
    change: str  # in the format of runs/variants.py
    share: float
    records: int
    left_out: int
    loss: float
    is_enough: bool


@dataclass(frozen=True)
class AttackSummary:
    stake: Stake
    value: float
    control: float | None
    figures: AttackFigures
    spread: AttackBins | None
    sentence: str
    explain: str
    column: str | None = None
    other_columns: Sequence[Mapping[str, Any]] = ()  # column, share and records
    measured_on: str = "release"  # or "half": held-out people, or "control": a control table
    people: int = 0  # number of people in the table
    released: int = 0
    left_out: int = 0
    loss: float = 0.0
    tried: int = 0  # number of changes tried
    remedies: Sequence[TriedRemedy] = ()
    releases: Sequence[int] = field(default=())  # numbers of the releases crossed
    notes: Sequence[str] = ()  # further remarks

    def word(self, limit: float) -> AttackVerdict:
        return judge_attack(self.stake, limit)

    def to_document(self) -> dict[str, Any]:
        stake, spread = self.stake, self.spread
        return {
            "stake": {
                "share": float(stake.share),
                "interval": [float(end) for end in stake.interval],
                "records": int(stake.records),
                "baseline": float(stake.baseline),
                "is_found": bool(stake.is_found),
            },
            "value": float(self.value),
            "control": None if self.control is None else float(self.control),
            "figures": {name: float(value) for name, value in self.figures.to_document().items()},
            "spread": spread
            and {
                "of": spread.of,
                "by": spread.by,
                "bins": [[own.label, float(own.count), own.is_marked] for own in spread.bins],
            },
            "sentence": self.sentence,
            "explain": self.explain,
            "column": self.column,
            "other_columns": list(self.other_columns),
            "measured_on": self.measured_on,
            "people": self.people,
            "released": self.released,
            "left_out": self.left_out,
            "loss": self.loss,
            "tried": self.tried,
            "remedies": [vars(remedy) for remedy in self.remedies],
            "releases": list(self.releases),
            "notes": list(self.notes),
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any], attack: str) -> Self:
        stake, spread = document["stake"], document["spread"]
        simple = ("spread", "stake", "remedies", "figures")
        return cls(
            **{name: value for name, value in document.items() if name not in simple},
            stake=Stake(
                stake["share"],
                (stake["interval"][0], stake["interval"][1]),
                stake["records"],
                stake["baseline"],
                stake["is_found"],
            ),
            figures=traits_of(attack).figures_kind.from_document(document["figures"]),
            spread=spread
            and AttackBins(spread["of"], spread["by"], tuple(Bin(*own) for own in spread["bins"])),
            remedies=[TriedRemedy(**remedy) for remedy in document["remedies"]],
        )


def other_columns_of(answer: AttackAnswer) -> list[dict[str, Any]]:
    return [
        {
            "column": other.column,
            "share": float(other.stake.share),
            "records": int(other.stake.records),
        }
        for other in answer.others
    ]
