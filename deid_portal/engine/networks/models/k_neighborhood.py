"""k-neighborhood anonymity: k-anonymity by the links among a person's neighbors."""

from dataclasses import dataclass
from typing import ClassVar

from deid_portal.engine.networks.knowledge.knowledge import WORDS, Knowledge
from deid_portal.engine.networks.knowledge.node_classes import NodeClasses
from deid_portal.engine.networks.knowledge.partition import NodePartition
from deid_portal.engine.networks.models.model import LOOK_ALIKES, NetworkModel
from deid_portal.engine.parameters import ColumnName, Declared


@dataclass(frozen=True)
class KNeighborhood(NetworkModel):
    """At least k have isomorphic neighborhoods, the person left out (Zhou and Pei, 2008)."""

    label: str | None = None  # a column that is also known of all neighbors

    name: ClassVar[str] = "k-neighbourhood"
    title: ClassVar[str] = "Alike in their neighborhoods"
    cites: ClassVar[str] = (
        "B. Zhou and J. Pei, Preserving privacy in social networks against neighborhood attacks, "
        "ICDE 2008."
    )
    knowledge: ClassVar[Knowledge] = Knowledge.NEIGHBORHOOD
    parameters: ClassVar[tuple[Declared, ...]] = (LOOK_ALIKES, ColumnName("label", optional=True))

    def alike(self, classes: NodeClasses) -> NodePartition:
        return super().alike(classes) if self.label is None else classes.of_labelled(self.label)

    def explain(self) -> str:
        return self._alike(WORDS[self.knowledge])
