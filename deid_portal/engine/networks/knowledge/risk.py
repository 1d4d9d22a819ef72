"""How many people are identifiable in a network, by kind of knowledge."""

import numpy as np

from deid_portal.engine.networks.knowledge.knowledge import Knowledge
from deid_portal.engine.networks.knowledge.node_classes import NodeClasses
from deid_portal.engine.networks.knowledge.partition import NodePartition
from deid_portal.engine.networks.network import Network
from deid_portal.engine.progress import Progress
from deid_portal.engine.report.network import Candidates, KnowledgeState
from deid_portal.engine.risk.classes import measure_risk, summarize_classes
from deid_portal.engine.table.table import Column

USUAL_K = 5


def summarize_network_risk(
    network: Network,
    progress: Progress | None = None,
    *,
    k: int = USUAL_K,
    columns: tuple[Column, ...] = (),
) -> dict[str, KnowledgeState]:
    """Measure the network as it is, for every kind of knowledge; changes nothing.

    `columns` are the attributes somebody could know; without any, that kind is left out.
    """
    alike = NodeClasses(network, columns, progress or Progress(None))
    asked = [known for known in Knowledge if columns or known is not Knowledge.ATTRIBUTES]
    return {known.value: describe_knowledge(alike.of(known), k) for known in asked}


def describe_knowledge(alike: NodePartition, k: int) -> KnowledgeState:
    """Return figures of one kind of knowledge; `exact` is False if some nodes are undecided.

    Undecided nodes count as unique, so `unique` is then an upper bound; `unique_at_least` leaves
    them out.
    """
    nodes = len(alike.class_of)
    unique = int((alike.sizes == 1).sum())
    return KnowledgeState(
        classes=summarize_classes(alike.sizes),
        risk=measure_risk(alike.sizes),
        unique=unique,
        unique_at_least=unique - alike.undecided,
        below_k=alike.count_below(k),
        k=k,
        share_below_k=alike.count_below(k) / nodes if nodes else 0.0,
        candidates=_quartiles(alike),
        exact=not alike.undecided,
        undecided=alike.undecided,
    )


def _quartiles(alike: NodePartition) -> Candidates:
    """Return minimum, quartiles, maximum and mean of the numbers of look-alikes."""
    if not len(alike.sizes):
        return Candidates()
    found = np.quantile(alike.candidates, (0, 0.25, 0.5, 0.75, 1), method="lower")
    least, lower, median, upper, most = (int(value) for value in found)
    return Candidates(least, lower, median, upper, most, mean=float(alike.candidates.mean()))
