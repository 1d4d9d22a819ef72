"""Privacy models of networks: one file each, found here by the name a plan uses."""

from deid_portal.engine.documents import Place
from deid_portal.engine.networks.models.model import NetworkModel
from deid_portal.engine.registry import Registry

NETWORK_MODELS: Registry[NetworkModel] = Registry(
    __name__,
    {
        "k-degree": "k_degree.KDegree",
        "k-neighbour-degrees": "k_neighbor_degrees.KNeighborDegrees",
        "k-neighbourhood": "k_neighborhood.KNeighborhood",
        "k-degree-attributes": "k_degree_attributes.KDegreeAttributes",
    },
)

__all__ = ["NETWORK_MODELS", "NetworkModel", "parse_network_model"]


def parse_network_model(place: Place) -> NetworkModel:
    """Read one entry of a network plan's models."""
    place.check_object()
    return NETWORK_MODELS[place["model"].choice(NETWORK_MODELS)].parse(place)
