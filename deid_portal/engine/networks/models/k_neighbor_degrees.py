"""k-anonymity by the numbers of links of a person's neighbors."""

from dataclasses import dataclass
from typing import ClassVar

from deid_portal.engine.networks.knowledge.knowledge import WORDS, Knowledge
from deid_portal.engine.networks.models.model import NetworkModel


@dataclass(frozen=True)
class KNeighborDegrees(NetworkModel):
    """At least k have neighbors with the same numbers of links (Hay et al., 2008)."""

    name: ClassVar[str] = "k-neighbour-degrees"
    title: ClassVar[str] = "Alike in the links of their neighbors"
    cites: ClassVar[str] = (
        "M. Hay, G. Miklau, D. Jensen, D. Towsley and P. Weis, Resisting structural "
        "re-identification in anonymized social networks, PVLDB 1(1), 2008."
    )
    knowledge: ClassVar[Knowledge] = Knowledge.NEIGHBOR_DEGREES

    def explain(self) -> str:
        return self._alike(WORDS[self.knowledge])
