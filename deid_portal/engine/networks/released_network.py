"""Building the released network.

What must never happen: an id, an identifier column, a value that no released node has, or the order
of the input reaches the release. So nodes are numbered in a random order, drawn in secret: whoever
could reproduce it would know who is who.
"""

import numpy as np

from deid_portal.engine.networks.changing.draft import NetworkDraft
from deid_portal.engine.networks.network import Network, Nodes
from deid_portal.engine.networks.plan import NetworkPlan
from deid_portal.engine.release.released_table import drop_unused
from deid_portal.engine.table.table import Table


def build_released_network(
    draft: NetworkDraft, plan: NetworkPlan, generator: np.random.Generator
) -> tuple[Network, Nodes, Nodes]:
    """Return the network to release, the original node of each, and the order drawn."""
    table = draft.network.table
    kept = [] if table is None else [c for c in table.columns if _leaves(plan, c.name)]
    shown = Table(tuple(drop_unused(column) for column in kept)) if kept else None
    order = generator.permutation(draft.network.nodes).astype(np.int32)
    stripped = Network(
        draft.network.offsets, draft.network.neighbors, draft.network.directed, None, shown
    )
    return stripped.renumbered(order), draft.rows[order], order


def _leaves(plan: NetworkPlan, name: str) -> bool:
    planned = plan.column(name)
    return planned is not None and not planned.is_removed
