"""Attacks on a released network, each run by itself, with the part of its result that counts.

A `NetworkCase` is a release beside the network it was made from, with who is who. Each attack is a
frozen dataclass with its parameters declared as data, as attacks on tables are.
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attack_cases.case import AttackAnswer
from deid_portal.engine.attacks.attack import (
    AnyAttack,
    AttackBins,
    AttackResult,
    Bin,
    Stake,
    weigh_match,
)
from deid_portal.engine.attacks.attack_figures import (
    AddedLinksFigures,
    AttackFigures,
    LinkageFigures,
    PlantedAccountsFigures,
)
from deid_portal.engine.attacks.confidence import exactly, wilson_interval
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.networks.attacks.active import attack_actively
from deid_portal.engine.networks.attacks.fake_links import detect_fake_links
from deid_portal.engine.networks.attacks.matching import (
    NodeGuesses,
    match_by_degree,
    match_by_neighborhood,
)
from deid_portal.engine.networks.knowledge.knowledge import Knowledge
from deid_portal.engine.networks.measures import NetworkMeasures
from deid_portal.engine.networks.network import Network, Nodes
from deid_portal.engine.networks.plan import NetworkPlan
from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.progress import Progress

NOBODY_THERE = "Nobody in this release stands for a person, so nobody can be looked for."
NOTHING_ADDED = "This release has no added link, so none can be told from true ones."
SIZES = ((1, 1), (2, 4), (5, 9), (10, 19), (20, 49), (50, 99))


@dataclass(frozen=True, eq=False)
class NetworkCase:
    """A release, the network behind it, and the original node of each released one (or -1)."""

    plan: NetworkPlan
    original: Network
    released: Network
    rows: Nodes

    @property
    def has_people(self) -> bool:
        return bool((self.rows >= 0).any())

    def promise(self, *known: Knowledge) -> float:
        """Return the chance of a right match that the plan allows by this knowledge, or 0."""
        promised = [1 / model.k for model in self.plan.models if model.knowledge in known]
        return min(promised, default=0.0)


@dataclass(frozen=True)
class NetworkAttack(AnyAttack):
    @abstractmethod
    def make(self, case: NetworkCase, progress: Progress) -> AttackAnswer:
        """Attack; raises InvalidPlan with the reason where this release cannot be."""


@dataclass(frozen=True)
class DegreeMatching(NetworkAttack):
    name: ClassVar[str] = "network-degree"
    figures_kind: ClassVar[type[AttackFigures]] = LinkageFigures
    cites: ClassVar[str] = (
        "K. Liu and E. Terzi, Towards identity anonymization on graphs, SIGMOD 2008."
    )

    def make(self, case: NetworkCase, progress: Progress) -> AttackAnswer:
        _check_people(case)
        matched = match_by_degree(case.original, case.released, case.rows)
        # Every kind of knowledge includes the number of links.
        return _answer(self, matched, case.promise(*Knowledge))

    def explain(self) -> str:
        return (
            "Compares everybody’s number of links in the original with those of released nodes; "
            "all nodes with as many are as likely, and a guess is right with one in so many."
        )


@dataclass(frozen=True)
class NeighborhoodMatching(NetworkAttack):
    name: ClassVar[str] = "network-neighbourhood"
    figures_kind: ClassVar[type[AttackFigures]] = LinkageFigures
    usual_seconds: ClassVar[tuple[float, float]] = (0.5, 4.0)
    cites: ClassVar[str] = (
        "B. Zhou and J. Pei, Preserving privacy in social networks against neighborhood attacks, "
        "ICDE 2008."
    )

    def make(self, case: NetworkCase, progress: Progress) -> AttackAnswer:
        _check_people(case)
        matched = match_by_neighborhood(case.original, case.released, case.rows, progress)
        return _answer(self, matched, case.promise(Knowledge.NEIGHBORHOOD))

    def explain(self) -> str:
        return (
            "Compares how everybody’s contacts are linked with each other in the original with the "
            "surroundings of the released nodes; all that look the same are as likely."
        )


@dataclass(frozen=True)
class PlantedAccounts(NetworkAttack):
    """The active attack; every attempt plants other accounts and carries out the plan anew."""

    attempts: int = 20

    name: ClassVar[str] = "network-active"
    figures_kind: ClassVar[type[AttackFigures]] = PlantedAccountsFigures
    usual_seconds: ClassVar[tuple[float, float]] = (3.0, 60.0)
    cites: ClassVar[str] = (
        "L. Backstrom, C. Dwork and J. Kleinberg, Wherefore art thou R3579X?, WWW 2007."
    )
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter("attempts", minimum=1, maximum=100, whole=True, default=20, is_effort=True),
    )

    def make(self, case: NetworkCase, progress: Progress) -> AttackAnswer:
        plan = replace(case.plan, measures=NetworkMeasures(("active",), int(self.attempts)))
        made = attack_actively(case.original, plan, progress)
        targets, links = made.targets, made.links_read
        low, high = targets.interval
        found = Stake(targets.share, (low, high), targets.right, 0.0, targets.right > 0)
        before = made.unprotected
        result = AttackResult(
            self.name,
            value=targets.share,
            interval=(low, high),
            control=before.targets.share,
            records=targets.right,
            sentence=f"{made.fakes} accounts were planted {made.attempts} times; their path "
            f"was found again {round(made.success * made.attempts)} times in the release, "
            f"{round(before.success * made.attempts)} times without protection.",
            figures=PlantedAccountsFigures(
                attempts=made.attempts,
                fakes=made.fakes,
                found=round(made.success * made.attempts),
                targets=targets.of,
                links_right=links.right,
                links=links.of,
                unprotected=before.success,
            ),
            spread=AttackBins(
                "percent",
                "Found again, of those planted or targeted",
                (
                    Bin("Without protection", 100 * before.targets.share),
                    Bin("In this release", 100 * targets.share, is_marked=True),
                ),
            ),
        )
        return AttackAnswer(result, found)

    def explain(self) -> str:
        return (
            "Accounts that do not exist are linked with each other and with a few targets before "
            "the release; afterwards they are looked for by their numbers of links and the links "
            "among them, and with them the targets and whether these are linked."
        )


@dataclass(frozen=True)
class AddedLinks(NetworkAttack):
    name: ClassVar[str] = "network-fake-links"
    figures_kind: ClassVar[type[AttackFigures]] = AddedLinksFigures
    # Adding few links leaves few to pick from; what is undone is part of a protection, no person.
    usual_limit: ClassVar[float] = 0.25
    cites: ClassVar[str] = (
        "X. Ying, X. Wu and D. Barbará, Spectrum based fraud detection in social networks, 2011."
    )

    def make(self, case: NetworkCase, progress: Progress) -> AttackAnswer:
        _check_people(case)
        added = _added(case)
        made = detect_fake_links(case.released, added)
        if made.precision is None or made.chance is None or made.auc is None:
            raise InvalidPlan(NOTHING_ADDED)
        right = round(made.precision * made.added)
        interval = wilson_interval(right, made.added)
        chance = made.chance
        # Picking blindly is right sometimes; only what is beyond that was given away.
        gain = max(made.precision - chance, 0.0)
        ends = (max(interval[0] - chance, 0.0), max(interval[1] - chance, 0.0))
        result = AttackResult(
            self.name,
            value=made.precision,
            interval=interval,
            control=chance,
            records=right,
            sentence=f"Of {made.added:,} links that fit least, {right:,} were added.",
            figures=AddedLinksFigures(added=made.added, links=made.links, auc=made.auc),
            spread=AttackBins(
                "percent",
                "Added links among those picked",
                (
                    Bin("Picked blindly", 100 * chance),
                    Bin("Picked by fit", 100 * made.precision, is_marked=True),
                ),
            ),
        )
        return AttackAnswer(result, Stake(gain, ends, right, 0.0, ends[0] > 0))

    def explain(self) -> str:
        return (
            "Ranks the links of the release by how few contacts their ends share, takes as many "
            "from the top as were added, and counts how many of these were."
        )


NETWORK_ATTACKS: dict[str, type[NetworkAttack]] = {
    kind.name: kind for kind in (DegreeMatching, NeighborhoodMatching, PlantedAccounts, AddedLinks)
}


def _check_people(case: NetworkCase) -> None:
    if not case.has_people:
        raise InvalidPlan(NOBODY_THERE)


def _added(case: NetworkCase) -> NDArray[Any]:
    """Return the links of the release that the original does not have, by released nodes."""
    pairs = case.released.undirected.pairs
    if not len(pairs):
        return pairs
    return pairs[~case.original.undirected.has_edges(case.rows[pairs])]


def _answer(attack: NetworkAttack, matched: NodeGuesses, promise: float) -> AttackAnswer:
    people, share = len(matched.chances), matched.share
    right = matched.chances > 0
    result = AttackResult(
        attack.name,
        value=share,
        interval=exactly(share),
        control=1 / people if people else 0.0,
        records=round(share * people),
        sentence=f"Of {people:,} people {int(right.sum()):,} are among the nodes that look like "
        f"them, {matched.found_for_sure:,} of them alone.",
        figures=LinkageFigures(people=people, correct_links=matched.found_for_sure),
        spread=_spread(matched, right),
    )
    return AttackAnswer(result, weigh_match(share, result.interval, promise, people))


def _spread(matched: NodeGuesses, right: NDArray[np.bool_]) -> AttackBins:
    """Count people by their number of candidates; those with a single candidate are marked."""
    sizes = matched.candidates[right]
    bins = [Bin("not there", float((~right).sum()))]
    for low, high in SIZES:
        count = float(((sizes >= low) & (sizes <= high)).sum())
        bins.append(Bin(f"{low}" if low == high else f"{low}–{high}", count, is_marked=high == 1))
    bins.append(Bin("100 or more", float((sizes >= 100).sum())))
    return AttackBins(
        "people", "Nodes that look like the person", tuple(b for b in bins if b.count)
    )
