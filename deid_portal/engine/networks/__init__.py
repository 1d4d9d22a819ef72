"""Networks of people: who is linked with whom, protected by a plan as tables are.

Network + NetworkPlan ──► protect_network(network, plan, progress) ──► NetworkOutcome
Network + NetworkPlan ──► assess_network(network, plan)            ──► report
"""

from deid_portal.engine.networks.files.frames import (
    links_to_pandas,
    network_from_pandas,
    nodes_to_pandas,
)
from deid_portal.engine.networks.knowledge.risk import summarize_network_risk
from deid_portal.engine.networks.network import Intake, Network
from deid_portal.engine.networks.outcome import NetworkOutcome
from deid_portal.engine.networks.plan import NetworkPlan, is_network_plan, load_network_plan
from deid_portal.engine.networks.protection import assess_network, protect_network

__all__ = [
    "Intake",
    "Network",
    "NetworkOutcome",
    "NetworkPlan",
    "assess_network",
    "is_network_plan",
    "links_to_pandas",
    "load_network_plan",
    "network_from_pandas",
    "nodes_to_pandas",
    "protect_network",
    "summarize_network_risk",
]
