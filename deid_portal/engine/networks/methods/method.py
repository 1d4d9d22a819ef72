"""The interface of every method for networks: its parameters, and how it changes a draft."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np

from deid_portal.engine.documents import Place, plain_value
from deid_portal.engine.networks.change_estimate import ChangeEstimate, CountedNetwork
from deid_portal.engine.networks.changing.draft import NetworkDraft
from deid_portal.engine.networks.knowledge.knowledge import Knowledge
from deid_portal.engine.networks.network import Network
from deid_portal.engine.parameters import Declared
from deid_portal.engine.progress import Progress


@dataclass(frozen=True)
class Variant:
    """A method with parameters that a sweep can try, with a name and title of its own."""

    name: str
    title: str
    parameters: Mapping[str, Any]


class NetworkMethod(ABC):
    """One way to protect a network; subclasses are frozen dataclasses of their parameters."""

    name: ClassVar[str]
    title: ClassVar[str]  # what a person reads
    words: ClassVar[str]  # what it does, in a line
    cites: ClassVar[str]
    parameters: ClassVar[tuple[Declared, ...]] = ()
    is_private: ClassVar[bool] = False  # promises differential privacy, and has no seed at all
    takes_directed: ClassVar[bool] = False
    largest: ClassVar[int | None] = None  # nodes it can be used for
    shows_people: ClassVar[bool] = True  # each node stands for a person
    # Knowledge to which it makes look-alikes; a method without any changes by chance or not at all.
    withstands: ClassVar[tuple[Knowledge, ...]] = ()
    # The method that has to come after it to withstand this knowledge, too.
    needs_after: ClassVar[Mapping[Knowledge, str]] = {}
    gain: ClassVar[str] = ""  # what speaks for it where it is recommended
    variants: ClassVar[tuple[Variant, ...]] = ()  # what a sweep can try
    instead: ClassVar[str] = ""  # against an attack: what using it in place of another means
    gains_by_removing: ClassVar[bool] = False  # withstands more if "changes" allows that
    # Seconds a run takes: anyway, and per 100,000 people; measured in `tests/benchmarks`.
    usual_seconds: ClassVar[tuple[float, float]] = (1.0, 5.0)
    knows_least_changes: ClassVar[bool] = False  # follow from everybody's number of links

    @classmethod
    def parse(cls, place: Place) -> Self:
        """Read a method entry of a plan."""
        names = [parameter.name for parameter in cls.parameters]
        place.check_keys(required=("name",), optional=names)
        return cls(**{parameter.name: parameter.read(place) for parameter in cls.parameters})

    def to_document(self) -> dict[str, Any]:
        own = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        return {"name": self.name} | {
            key: plain_value(v) for key, v in own.items() if v is not None
        }

    @abstractmethod
    def apply(
        self, draft: NetworkDraft, generator: np.random.Generator, progress: Progress
    ) -> NetworkDraft:
        """Carry it out."""

    @abstractmethod
    def explain(self) -> str:
        """Return the sentence shown to the person choosing this method."""

    @classmethod
    def why_unfit(cls, *, directed: bool, nodes: int) -> str:
        """Return why it cannot be applied to such a network, or ""."""
        if directed and not cls.takes_directed:
            return "For links without directions; read the network again as such."
        if cls.largest is not None and nodes > cls.largest:
            return f"For at most {cls.largest:,} people."
        return ""

    @classmethod
    def protects_from(cls, knowledge: Knowledge, chosen: Knowledge) -> bool:
        """Say whether it withstands this in a plan made against `chosen`.

        What has to come after it comes only into plans that are made against that.
        """
        is_followed = knowledge not in cls.needs_after or knowledge is chosen
        return knowledge in cls.withstands and is_followed

    @property
    def protected_unit(self) -> str:
        """Return what the release hardly depends on one of; empty without differential privacy."""
        return ""

    @property
    def may_remove(self) -> bool:
        """Say whether links may be removed as well as added."""
        return False

    @property
    def only_adds(self) -> bool:
        """Say whether every link there is stays."""
        return False

    def estimate_changes(self, counted: CountedNetwork) -> ChangeEstimate:
        """Say what it will change, as far as the counts tell."""
        return ChangeEstimate()

    @classmethod
    def published_figures(cls, noted: Mapping[str, Any]) -> dict[str, Any]:
        """Return the part of its notes that may be published, as for methods of tables."""
        return dict(noted) if cls.is_private else {}

    def cautions(self) -> list[str]:
        found = (p.caution_for(getattr(self, p.name)) for p in self.parameters)
        return [sentence for sentence in found if sentence]

    def check_columns(self, place: Place, known: Collection[str]) -> None:
        """Refuse columns that are no quasi-identifiers of the node table."""
        label = getattr(self, "label", None)
        if label is not None and label not in known:
            place["label"].refuse("the name of a quasi-identifier of the node table is accepted.")

    def check_network(self, place: Place, network: Network) -> None:
        """Refuse parameters that do not fit this network."""
        if network.directed and not self.takes_directed:
            place.refuse(
                f'{self.name} is for links without directions; say "directed": false under '
                f'"network" to release them so.'
            )
        if self.largest is not None and network.nodes > self.largest:
            place.refuse(
                f"{self.name} is for at most {self.largest:,} nodes, and the network has "
                f"{network.nodes:,}; choose another method."
            )
        k = getattr(self, "k", None)
        if k is not None and k > network.nodes:
            place["k"].refuse(
                f"the network has {network.nodes} nodes, so at most {network.nodes} is accepted."
            )
