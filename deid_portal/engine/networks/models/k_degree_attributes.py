"""k-anonymity by attributes together with the number of links."""

from dataclasses import dataclass
from typing import ClassVar

from deid_portal.engine.networks.knowledge.knowledge import WORDS, Knowledge
from deid_portal.engine.networks.models.model import NetworkModel


@dataclass(frozen=True)
class KDegreeAttributes(NetworkModel):
    """At least k agree in every quasi-identifier of the node table and in the number of links."""

    name: ClassVar[str] = "k-degree-attributes"
    title: ClassVar[str] = "Alike in attributes and the number of links"
    cites: ClassVar[str] = (
        "L. Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002, with the "
        "degree of K. Liu and E. Terzi, SIGMOD 2008, as one more quasi-identifier."
    )
    knowledge: ClassVar[Knowledge] = Knowledge.ATTRIBUTES

    def explain(self) -> str:
        return self._alike(WORDS[self.knowledge])
