"""Which method fits a network and a background knowledge, with the reason in words."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from deid_portal.datasets.models import Dataset
from deid_portal.engine.networks.methods import NETWORK_METHODS, NetworkMethod

LARGE = 100_000
METHOD_WORDS = {
    "k-degree": "Adds, and if allowed removes, as few links as it can.",
    "k-neighbourhood": "Adds links until everybody’s surroundings look like those of others.",
    "k-grouping": "Releases groups and the links between them, no single person.",
    "attributes": "Makes what is known of people coarser, and leaves the links.",
    "noise-graph": "Lays a random network over yours.",
    "random-links": "Removes links by chance and adds as many elsewhere.",
    "private-degrees": "Releases noisy counts only, with differential privacy.",
    "none": "Releases it as it is, measured.",
}


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


# Methods that guarantee k look-alikes given this knowledge; the others are probabilistic.
WITHSTAND = {
    "degree": ("k-degree", "k-grouping"),
    "neighbour-degrees": ("k-grouping",),
    "neighbourhood": ("k-neighbourhood", "k-grouping"),
    "attributes+degree": ("attributes", "k-grouping"),
}


def offer_methods(dataset: Dataset, recommended: str, knowledge: str) -> list[MethodOffer]:
    offers = [
        MethodOffer(
            name,
            kind.title,
            METHOD_WORDS.get(name, ""),
            why_closed(dataset, kind),
            is_recommended=name == recommended,
            withstands=name in WITHSTAND[knowledge],
        )
        for name, kind in _kinds()
    ]
    return sorted(offers, key=lambda offer: not offer.is_recommended)


def _kinds() -> Iterable[tuple[str, type[NetworkMethod]]]:
    return ((name, NETWORK_METHODS[name]) for name in NETWORK_METHODS)


def why_closed(dataset: Dataset, kind: type[NetworkMethod]) -> str:
    """Return why a method cannot be applied to this network, or ""."""
    if dataset.network.is_directed and not kind.takes_directed:
        return "For links without directions; read the network again as such."
    if kind.largest is not None and dataset.rows > kind.largest:
        return f"For at most {kind.largest:,} people."
    return ""


# Variants that a sweep can try: the methods with a parameter k, and their settings.
NETWORK_WAYS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("adding", "Equal numbers of links, adding", {"name": "k-degree", "changes": "additions"}),
    (
        "removing",
        "Equal numbers of links, adding and removing",
        {"name": "k-degree", "changes": "additions-deletions"},
    ),
    ("neighborhoods", "Equal neighborhoods", {"name": "k-neighbourhood"}),
    ("groups", "Groups and the links between them", {"name": "k-grouping"}),
)


def ways_to_sweep(dataset: Dataset) -> list[str]:
    """Return the names of the variants that can be tried on this network."""
    return [
        name
        for name, _, entry in NETWORK_WAYS
        if not why_closed(dataset, NETWORK_METHODS[entry["name"]])
    ]
