"""Privacy models of networks: one file each, found here by the name a plan uses."""

from deid_portal.engine.documents import Place
from deid_portal.engine.networks.knowledge.knowledge import Knowledge
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

__all__ = ["NETWORK_MODELS", "NetworkModel", "model_against", "parse_network_model"]


def model_against(knowledge: Knowledge) -> type[NetworkModel]:
    """Return the model whose look-alikes are those to somebody who knows this."""
    return next(own for own in NETWORK_MODELS.values() if own.knowledge == knowledge)


def parse_network_model(place: Place) -> NetworkModel:
    """Read one entry of a network plan's models."""
    place.check_object()
    return NETWORK_MODELS[place["model"].choice(NETWORK_MODELS)].parse(place)
