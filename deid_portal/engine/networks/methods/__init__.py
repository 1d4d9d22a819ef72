"""Methods for networks: one file each, found here by the name a plan uses."""

from deid_portal.engine.documents import Place
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

__all__ = ["NETWORK_METHODS", "NetworkMethod", "parse_network_methods"]


def parse_network_methods(place: Place) -> tuple[NetworkMethod, ...]:
    """Read a network plan's method: one, or a list to be applied one after the other."""
    places = place.items() if isinstance(place.value, list) else [place]
    if not places:
        place.refuse("at least one method is needed.")
    return tuple(_parse_method(item) for item in places)


def _parse_method(place: Place) -> NetworkMethod:
    place.check_object()
    return NETWORK_METHODS[place["name"].choice(NETWORK_METHODS)].parse(place)
