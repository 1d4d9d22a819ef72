"""The draft a plan begins with, before its first method."""

from dataclasses import replace

from deid_portal.engine.networks.changing.draft import NetworkDraft
from deid_portal.engine.networks.network import Network
from deid_portal.engine.networks.plan import NetworkPlan

DIRECTIONS_DROPPED = "Links have directions in the input; they are released without."


def start_draft(network: Network, plan: NetworkPlan) -> NetworkDraft:
    """Check that the plan fits the network and prepare what every method needs."""
    plan.check_network(network)
    given = network if plan.directed else network.undirected
    taxonomies = {}
    if given.table is not None and given.table.columns:
        given = replace(given, table=plan.typed(given.table))
        taxonomies = {
            column.name: column.recipe.build(given.table[column.name])
            for column in plan.columns
            if column.name in plan.quasi_identifiers and given.table is not None
        }
    weights = {column.name: column.weight for column in plan.columns}
    draft = NetworkDraft.start(given, taxonomies, weights)
    notes = (DIRECTIONS_DROPPED,) if network.directed and not plan.directed else ()
    return replace(draft, original=replace(given, intake=network.intake), notes=notes)
