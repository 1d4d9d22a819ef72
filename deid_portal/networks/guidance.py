"""Which method fits a network and a background knowledge, with the reason in words."""

from dataclasses import dataclass

from deid_portal.datasets.models import Dataset
from deid_portal.engine.networks.methods import NETWORK_METHODS, NetworkMethod

LARGE = 100_000


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
    """Recommend the method that protects against this knowledge with the least change."""
    nodes = dataset.rows
    if knowledge == "degree":
        speed = ", the quick way for so many people" if nodes > LARGE else ""
        reason = f"It changes the fewest links that give everybody look-alikes{speed}."
        return NetworkRecommendation("k-degree", reason)
    if knowledge == "neighbourhood" and _fits("k-neighbourhood", nodes):
        reason = "It makes the surroundings of every person equal to those of others."
        return NetworkRecommendation("k-neighbourhood", reason)
    reason = (
        "Whoever knows more than the number of links is withstood by releasing groups: how many "
        "links there are within and between them, and no single person."
    )
    return NetworkRecommendation("k-grouping", reason)


def _fits(method: str, nodes: int) -> bool:
    largest = NETWORK_METHODS[method].largest
    return largest is None or nodes <= largest


def offer_methods(dataset: Dataset, recommended: str, knowledge: str) -> list[MethodOffer]:
    offers = [
        MethodOffer(
            name,
            kind.title,
            kind.words,
            why_closed(dataset, kind),
            is_recommended=name == recommended,
            withstands=knowledge in kind.withstands,
        )
        for name, kind in NETWORK_METHODS.items()
    ]
    return sorted(offers, key=lambda offer: not offer.is_recommended)


def why_closed(dataset: Dataset, kind: type[NetworkMethod]) -> str:
    """Return why a method cannot be applied to this network, or ""."""
    if dataset.network.is_directed and not kind.takes_directed:
        return "For links without directions; read the network again as such."
    if kind.largest is not None and dataset.rows > kind.largest:
        return f"For at most {kind.largest:,} people."
    return ""


def ways_to_sweep(dataset: Dataset) -> list[str]:
    """Return the names of the variants that can be tried on this network."""
    return [
        variant.name
        for kind in NETWORK_METHODS.values()
        for variant in kind.variants
        if not why_closed(dataset, kind)
    ]
