"""Degrees with differential privacy, and a random network that has them."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.networks.change_estimate import ChangeEstimate, CountedNetwork
from deid_portal.engine.networks.changing.draft import NOBODY, NetworkDraft
from deid_portal.engine.networks.changing.link_switching import switch_links
from deid_portal.engine.networks.changing.realization import realize_degrees
from deid_portal.engine.networks.methods.method import NetworkMethod
from deid_portal.engine.networks.network import Network
from deid_portal.engine.networks.private_counts import (
    histogram_of_degrees,
    private_degree_sequence,
    private_histogram,
)
from deid_portal.engine.parameters import Choice, Declared, Parameter
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.table.values import ColumnType

SWITCHES_PER_LINK = 3


@dataclass(frozen=True)
class PrivateDegrees(NetworkMethod):
    """How many people have how many links, with noise, and a random network drawn from that.

    Protects either every link, or every person with all links. For persons, links beyond `bound`
    per person are left out before counting, because one person could otherwise change all degrees.
    Nodes do not stand for people, and attributes are not released.
    """

    epsilon: float
    protects: str = "links"
    bound: int | None = None

    name: ClassVar[str] = "private-degrees"
    title: ClassVar[str] = "Degrees with differential privacy"
    words: ClassVar[str] = "Releases noisy counts only, with differential privacy."
    cites: ClassVar[str] = (
        "M. Hay, C. Li, G. Miklau and D. Jensen, Accurate estimation of the degree distribution of "
        "private networks, ICDM 2009; W.-Y. Day, N. Li and M. Lyu, Publishing graph degree "
        "distribution with node differential privacy, SIGMOD 2016."
    )
    is_private: ClassVar[bool] = True
    shows_people: ClassVar[bool] = False
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "epsilon",
            start=1,
            minimum=0.001,
            maximum=20,
            unusual_below=0.05,
            unusual_above=3,
            caution="ε = {value} is unusual: below 0.05 little but noise is left, above 3 a person "
            "or link can change the answer a lot.",
        ),
        Choice("protects", ("links", "people")),
        Parameter("bound", minimum=1, maximum=100_000, whole=True, optional=True),
    )

    @classmethod
    def parse(cls, place: Place) -> Self:
        read = super().parse(place)
        if read.protects == "people" and read.bound is None:
            place["bound"].refuse(
                "this is required to protect people: the most links of a person that count, chosen "
                "without looking at the network."
            )
        if read.protects == "links" and read.bound is not None:
            place["bound"].refuse("a bound is only needed to protect people; leave it out.")
        return read

    @property
    def protected_unit(self) -> str:
        return "link" if self.protects == "links" else "person"

    def explain(self) -> str:
        return (
            f"Only numbers of links leave, with noise, and a random network that has them; whether "
            f"any one {self.protected_unit} is in the data hardly changes what leaves "
            f"(ε = {self.epsilon:g})."
        )

    def estimate_changes(self, counted: CountedNetwork) -> ChangeEstimate:
        return ChangeEstimate(note="no link leaves, only noisy counts")

    def apply(
        self, draft: NetworkDraft, generator: np.random.Generator, progress: Progress
    ) -> NetworkDraft:
        network = draft.network
        progress.report(0, 4, "protect", method=self.name)
        if self.protects == "links":
            degrees = private_degree_sequence(
                network, self.epsilon, lambda: progress.report(0, 4, "protect", method=self.name)
            )
        else:
            counts = private_histogram(network, self.epsilon, self.bound or 1)
            degrees = np.repeat(np.arange(len(counts)), counts)
        progress.report(1, 4, "protect", method=self.name)
        drawn, unmet = draw_network(degrees, generator, progress)
        rows = np.full(drawn.nodes, NOBODY, np.int32)
        step: dict[str, Any] = {
            "method": self.name,
            "epsilon": self.epsilon,
            "protects": self.protects,
            "bound": self.bound,
            "unmet": unmet,
        }
        tables = {**draft.tables, "degrees": _as_table(histogram_of_degrees(degrees))}
        drafted = replace(draft, network=drawn, rows=rows, tables=tables, groups=None)
        return drafted.noting(**{key: value for key, value in step.items() if value is not None})


def draw_network(
    degrees: Any, generator: np.random.Generator, progress: Progress
) -> tuple[Network, int]:
    """Return a random network with these degrees, as nearly as possible, and the unmet number."""
    nodes = max(len(degrees), 1)
    empty = Network.from_pairs(nodes, np.zeros((0, 2), np.int32))
    targets = np.zeros(nodes, np.int64)
    targets[: len(degrees)] = np.minimum(degrees, nodes - 1)
    found = realize_degrees(
        empty, targets, nodes + 1, generator, progress, may_remove=False, only_add=True
    )
    progress.report(3, 4, "protect")
    drawn, _ = switch_links(found.network, SWITCHES_PER_LINK * found.network.edges, generator)
    return drawn, found.unmet


def _as_table(counts: Any) -> Table:
    numbers = [(str(degree), str(count)) for degree, count in enumerate(counts.tolist()) if count]
    cells = list(zip(*numbers, strict=True)) or [(), ()]
    names = ("degree", "people")
    return Table(
        tuple(
            Column.from_cells(name, own, ColumnType.INTEGER)
            for name, own in zip(names, cells, strict=True)
        )
    )
