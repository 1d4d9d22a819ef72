"""Methods for networks: one file each, found here by the name a plan uses."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from deid_portal.engine.documents import Place
from deid_portal.engine.networks.knowledge.knowledge import Knowledge
from deid_portal.engine.networks.methods.method import NetworkMethod
from deid_portal.engine.registry import Registry

NETWORK_METHODS: Registry[NetworkMethod] = Registry(
    __name__,
    {
        "k-degree": "k_degree.KDegreeRelease",
        "k-neighbourhood": "k_neighborhood.KNeighborhoodRelease",
        "k-grouping": "k_grouping.KGrouping",
        "attributes": "attributes.Attributes",
        "noise-graph": "noise_graph.NoiseGraph",
        "random-links": "random_links.RandomLinks",
        "private-degrees": "private_degrees.PrivateDegrees",
        "none": "none.NoNetworkChange",
    },
)

__all__ = [
    "NETWORK_METHODS",
    "NetworkMethod",
    "complete_methods",
    "methods_against",
    "parse_network_methods",
]


def methods_against(
    knowledge: Collection[Knowledge], *, directed: bool, nodes: int
) -> list[type[NetworkMethod]]:
    """Return the methods that withstand all of this in such a network.

    Those that withstand little else come first, since they change least.
    """
    found = [
        kind
        for kind in NETWORK_METHODS.values()
        if {*knowledge} <= {*kind.withstands} and not kind.why_unfit(directed=directed, nodes=nodes)
    ]
    return sorted(found, key=lambda kind: len(kind.withstands))


def complete_methods(
    entries: Sequence[Mapping[str, Any]], knowledge: Knowledge
) -> list[dict[str, Any]]:
    """Return a plan's methods with the one that has to follow to withstand this knowledge."""
    methods = [dict(entry) for entry in entries]
    last = methods[-1]
    follower = NETWORK_METHODS[last["name"]].needs_after.get(knowledge)
    if follower is None or "k" not in last:
        return methods
    return [*methods, {"name": follower, "k": last["k"]}]


def parse_network_methods(place: Place) -> tuple[NetworkMethod, ...]:
    """Read a network plan's method: one, or a list to be applied one after the other."""
    places = place.items() if isinstance(place.value, list) else [place]
    if not places:
        place.refuse("at least one method is needed.")
    return tuple(_parse_method(item) for item in places)


def _parse_method(place: Place) -> NetworkMethod:
    place.check_object()
    return NETWORK_METHODS[place["name"].choice(NETWORK_METHODS)].parse(place)
