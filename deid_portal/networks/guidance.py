"""Which method fits a network and a background knowledge, with the reason in words."""

from dataclasses import dataclass

from deid_portal.datasets.models import Dataset
from deid_portal.engine.networks.knowledge.knowledge import Knowledge
from deid_portal.engine.networks.methods import NETWORK_METHODS, NetworkMethod, methods_against


@dataclass(frozen=True)
class NetworkRecommendation:
    method: str
    reason: str


@dataclass(frozen=True)
class MethodOffer:
    """A method on the page; `closed` is the reason why it cannot be chosen."""

    name: str
    title: str
    why: str
    closed: str = ""
    is_recommended: bool = False
    withstands: bool = False  # it protects against the chosen knowledge


def recommend_network_method(dataset: Dataset, knowledge: str) -> NetworkRecommendation:
    """Recommend, of the methods that fit and withstand this, the one that changes least."""
    fitting = methods_against(
        [Knowledge(knowledge)], directed=dataset.network.is_directed, nodes=dataset.rows
    )
    return NetworkRecommendation(fitting[0].name, fitting[0].gain)


def offer_methods(dataset: Dataset, recommended: str, knowledge: str) -> list[MethodOffer]:
    offers = [
        MethodOffer(
            name,
            kind.title,
            kind.words,
            why_closed(dataset, kind),
            is_recommended=name == recommended,
            withstands=Knowledge(knowledge) in kind.withstands,
        )
        for name, kind in NETWORK_METHODS.items()
    ]
    return sorted(offers, key=lambda offer: not offer.is_recommended)


def why_closed(dataset: Dataset, kind: type[NetworkMethod]) -> str:
    """Return why a method cannot be applied to this network, or ""."""
    return kind.why_unfit(directed=dataset.network.is_directed, nodes=dataset.rows)


def ways_to_sweep(dataset: Dataset) -> list[str]:
    """Return the names of the variants that can be tried on this network."""
    return [
        variant.name
        for kind in NETWORK_METHODS.values()
        for variant in kind.variants
        if not why_closed(dataset, kind)
    ]
