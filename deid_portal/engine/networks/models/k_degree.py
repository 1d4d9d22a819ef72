"""k-degree anonymity: at least k people share every number of links."""

from dataclasses import dataclass
from typing import ClassVar

from deid_portal.engine.networks.knowledge.knowledge import WORDS, Knowledge
from deid_portal.engine.networks.models.model import NetworkModel


@dataclass(frozen=True)
class KDegree(NetworkModel):
    """Every number of links that occurs is shared by at least k people (Liu and Terzi, 2008)."""

    name: ClassVar[str] = "k-degree"
    title: ClassVar[str] = "Alike in the number of links"
    cites: ClassVar[str] = (
        "K. Liu and E. Terzi, Towards identity anonymization on graphs, SIGMOD 2008."
    )
    knowledge: ClassVar[Knowledge] = Knowledge.DEGREE

    def explain(self) -> str:
        return self._alike(WORDS[self.knowledge])
