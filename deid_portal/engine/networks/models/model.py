"""The interface of every privacy model of networks: a rule on classes of nodes that look alike."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from deid_portal.engine.documents import Place
from deid_portal.engine.networks.knowledge.knowledge import Knowledge
from deid_portal.engine.networks.knowledge.node_classes import NodeClasses
from deid_portal.engine.networks.knowledge.partition import NodePartition
from deid_portal.engine.parameters import Declared, number_of_look_alikes

LOOK_ALIKES = number_of_look_alikes(left="structure")


@dataclass(frozen=True)
class NetworkModel(ABC):
    """Every node looks like at least k - 1 others to whoever knows what `knowledge` says."""

    k: int

    name: ClassVar[str]
    title: ClassVar[str]
    cites: ClassVar[str]
    knowledge: ClassVar[Knowledge]
    look_alikes: ClassVar[str] = "k"  # the parameter with the number of look-alikes
    parameters: ClassVar[tuple[Declared, ...]] = (LOOK_ALIKES,)

    @classmethod
    def parse(cls, place: Place) -> Self:
        """Read a model entry of a plan."""
        names = [parameter.name for parameter in cls.parameters]
        place.check_keys(required=("model",), optional=names)
        read: dict[str, Any] = {own.name: own.read(place) for own in cls.parameters}
        return cls(**read)

    def to_document(self) -> dict[str, Any]:
        chosen = {own.name: getattr(self, own.name) for own in fields(self)}
        return {"model": self.name, **{key: v for key, v in chosen.items() if v is not None}}

    @abstractmethod
    def explain(self) -> str:
        """Return the sentence shown to the person choosing this model."""

    def cautions(self) -> list[str]:
        found = (p.caution_for(getattr(self, p.name)) for p in self.parameters)
        return [sentence for sentence in found if sentence]

    def alike(self, classes: NodeClasses) -> NodePartition:
        """Return the nodes that look alike by the knowledge the rule is about."""
        return classes.of(self.knowledge)

    def check_columns(self, place: Place, known: Collection[str]) -> None:
        """Refuse columns that are no quasi-identifiers of the node table."""
        label = getattr(self, "label", None)
        if label is not None and label not in known:
            place["label"].refuse("the name of a quasi-identifier of the node table is accepted.")

    def holds(self, alike: NodePartition) -> bool:
        return bool(len(alike.sizes)) and int(alike.sizes.min()) >= self.k

    def achieved(self, alike: NodePartition) -> dict[str, Any]:
        """Return the k the network reaches."""
        return {"k": int(alike.sizes.min()) if len(alike.sizes) else 0}

    def check_nodes(self, place: Place, nodes: int) -> None:
        if self.k > nodes:
            place["k"].refuse(f"the network has {nodes} nodes, so at most {nodes} is accepted.")

    def _alike(self, to_whom: str) -> str:
        return (
            f"Every person looks like at least {self.k - 1} others to somebody who knows {to_whom},"
            f" so a match is right at most 1 time in {self.k}."
        )
