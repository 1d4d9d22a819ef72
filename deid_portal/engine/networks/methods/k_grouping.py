"""k-sized grouping: groups of people and the links between them, instead of people."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from deid_portal.engine.networks.change_estimate import ChangeEstimate, CountedNetwork
from deid_portal.engine.networks.changing.draft import NetworkDraft
from deid_portal.engine.networks.changing.node_groups import Grouping, find_grouping, sample_network
from deid_portal.engine.networks.knowledge.knowledge import Knowledge
from deid_portal.engine.networks.knowledge.partition import NodePartition
from deid_portal.engine.networks.methods.method import NetworkMethod, Variant
from deid_portal.engine.networks.models.model import LOOK_ALIKES
from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.table.values import ColumnType


@dataclass(frozen=True)
class KGrouping(NetworkMethod):
    """People are put into groups of at least k; only sizes and numbers of links leave.

    The network beside them is one of all those that fit the counts, drawn at random.
    """

    k: int
    effort: int = 30

    name: ClassVar[str] = "k-grouping"
    title: ClassVar[str] = "Groups and the links between them"
    words: ClassVar[str] = "Releases groups and the links between them, no single person."
    cites: ClassVar[str] = (
        "M. Hay, G. Miklau, D. Jensen, D. Towsley and P. Weis, Resisting structural "
        "re-identification in anonymized social networks, PVLDB 1(1), 2008."
    )
    takes_directed: ClassVar[bool] = True
    shows_people: ClassVar[bool] = False
    instead: ClassVar[str] = "Release groups instead of people"
    withstands: ClassVar[tuple[Knowledge, ...]] = tuple(Knowledge)
    needs_after: ClassVar[Mapping[Knowledge, str]] = {Knowledge.ATTRIBUTES: "attributes"}
    gain: ClassVar[str] = (
        "It withstands whoever knows more than the number of links: groups and the links between "
        "them leave, and no single person."
    )
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant("groups", "Groups and the links between them", {}),
    )
    usual_seconds: ClassVar[tuple[float, float]] = (1.0, 20.0)
    parameters: ClassVar[tuple[Declared, ...]] = (
        LOOK_ALIKES,
        Parameter("effort", minimum=1, maximum=1000, whole=True, default=30),
    )

    def explain(self) -> str:
        return (
            f"Groups of at least {self.k} people leave, with the numbers of links within and "
            f"between them, and one random network that fits; who is who in a group is not told."
        )

    def estimate_changes(self, counted: CountedNetwork) -> ChangeEstimate:
        groups = counted.nodes // max(self.k, 1)
        return ChangeEstimate(
            min(groups, 1), groups, "every link is drawn anew", label="Groups of people"
        )

    def apply(
        self, draft: NetworkDraft, generator: np.random.Generator, progress: Progress
    ) -> NetworkDraft:
        network = draft.network
        grouping = find_grouping(network, self.k, self.effort, generator, progress)
        drawn = network.with_pairs(sample_network(grouping, generator))
        step = {
            "method": self.name,
            "k": self.k,
            "effort": self.effort,
            "groups": len(grouping.sizes),
            "log_worlds": grouping.log_worlds,
        }
        tables = {**draft.tables, **describe_grouping(grouping)}
        changed = replace(
            draft, network=drawn, tables=tables, groups=NodePartition(grouping.group_of)
        )
        return changed.noting(**step)


def describe_grouping(grouping: Grouping) -> dict[str, Table]:
    """Return the groups and the links between them as tables; groups are numbered at random."""
    within = np.zeros(len(grouping.sizes), np.int64)
    inside = grouping.pairs[:, 0] == grouping.pairs[:, 1]
    within[grouping.pairs[inside, 0]] = grouping.links[inside]
    between = grouping.pairs[~inside] + 1
    groups = {
        "group": np.arange(1, len(grouping.sizes) + 1),
        "people": grouping.sizes,
        "links within": within,
    }
    links = {
        "group": between[:, 0],
        "other group": between[:, 1],
        "links": grouping.links[~inside],
        "possible links": grouping.possible_links[~inside],
    }
    return {"groups": _table(groups), "group-links": _table(links)}


def _table(columns: dict[str, "np.ndarray[tuple[int], np.dtype[np.int64]]"]) -> Table:
    made = []
    for name, numbers in columns.items():
        values, codes = np.unique(numbers, return_inverse=True)
        texts = tuple(map(str, values.tolist()))
        made.append(Column(name, ColumnType.INTEGER, codes.reshape(-1).astype(np.int32), texts))
    return Table(tuple(made))
