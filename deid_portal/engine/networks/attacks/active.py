"""The active attack: fake people planted before the release, found again in it.

L. Backstrom, C. Dwork and J. Kleinberg, Wherefore art thou R3579X? Anonymized social networks,
hidden patterns, and structural steganography, WWW 2007. About (2 + δ)·log₂ n fake accounts are
linked in a path, and by chance among each other; each target is linked with a few of them, no two
with the same. In the release the path is found by the degrees and inner links of its nodes, and
with it the targets and whether there are links between them.
"""

from dataclasses import dataclass, replace
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.confidence import exact_interval, wilson_interval
from deid_portal.engine.networks.attacks import active_kernels
from deid_portal.engine.networks.first_draft import start_draft
from deid_portal.engine.networks.network import Network, Nodes
from deid_portal.engine.networks.plan import NetworkPlan
from deid_portal.engine.progress import Progress
from deid_portal.engine.randomness.chance import Chance
from deid_portal.engine.report.network import ActiveAttack, ActiveAttempts, ShareFound
from deid_portal.engine.table.table import Table

DELTA = 0.5
MOST_FAKES = 0.01  # of the people there are, where several attack at once
MOST_TARGETS = 10
LINKS_TO_TARGET = 3
MOST_STEPS = 5_000_000  # of a search
MOST_FOUND = 50  # paths; more are of no use
SLACKS = ((0, 0), (2, 2), (5, 6))  # how far degrees and how many inner links may be off


@dataclass(frozen=True, eq=False)
class PlantedNetwork:
    """A network with fake people: who they are, in order of their path, and whom they target."""

    network: Network
    fakes: Nodes
    inner: NDArray[np.bool_]  # fake × fake: whether they are linked
    degrees: NDArray[np.int64]  # of the fakes
    targets: Nodes
    marks: NDArray[np.bool_]  # target × fake: with whom each target is linked


def count_fakes(nodes: int, delta: float = DELTA) -> int:
    """Return how many fake people are needed among so many, (2 + δ)·log₂ n.

    >>> count_fakes(4_400_000)
    56
    """
    return max(ceil((2 + delta) * log2(max(nodes, 2))), 4)


def plant_fakes(
    network: Network, generator: np.random.Generator, delta: float = DELTA
) -> PlantedNetwork:
    """Add fake people who target some linked ones."""
    return plant_many(network, 1, generator, delta)[0]


def plant_many(
    network: Network, attackers: int, generator: np.random.Generator, delta: float = DELTA
) -> list[PlantedNetwork]:
    """Add the fake people of several attackers at once, none of whom knows of the others."""
    plain = network.undirected
    fakes = count_fakes(plain.nodes, delta)
    plants = [_draw_plant(plain, fakes, number, generator) for number in range(attackers)]
    grown = Network.from_pairs(
        plain.nodes + fakes * attackers,
        np.concatenate([plain.pairs, *(_links_of(plant) for plant in plants)]),
        table=plain.table and _with_gaps(plain.table, fakes * attackers),
    )
    return [
        replace(plant, network=grown, degrees=grown.degrees[plant.fakes].astype(np.int64))
        for plant in plants
    ]


def count_attackers(nodes: int) -> int:
    """Return how many attackers may act at once with few fakes among true people."""
    return max(int(MOST_FAKES * nodes) // count_fakes(nodes), 1)


def _draw_plant(
    network: Network, fakes: int, number: int, generator: np.random.Generator
) -> PlantedNetwork:
    """Draw what one attacker plants; degrees are known when all have planted."""
    inner = np.triu(generator.random((fakes, fakes)) < 0.5, 1)
    path = np.arange(fakes - 1)
    inner[path, path + 1] = True
    targets = _choose_targets(network, fakes, generator)
    first = network.nodes + number * fakes
    return PlantedNetwork(
        network=network,
        fakes=np.arange(first, first + fakes, dtype=np.int32),
        inner=inner | inner.T,
        degrees=np.zeros(fakes, np.int64),
        targets=targets,
        marks=_draw_marks(len(targets), fakes, generator),
    )


def _links_of(plant: PlantedNetwork) -> NDArray[Any]:
    target, fake = np.nonzero(plant.marks)
    return np.concatenate(
        [
            plant.fakes[np.argwhere(np.triu(plant.inner, 1))],
            np.column_stack([plant.targets[target], plant.fakes[fake]]),
        ]
    )


def _choose_targets(network: Network, fakes: int, generator: np.random.Generator) -> Nodes:
    """Take both ends of links, so that half of the pairs asked about are linked."""
    wanted = min(MOST_TARGETS, fakes, network.nodes)
    if not network.edges:
        return generator.permutation(network.nodes)[:wanted].astype(np.int32)
    some = network.pairs[generator.integers(0, network.edges, wanted * 2)]
    return np.array(list(dict.fromkeys(some.reshape(-1).tolist()))[:wanted], np.int32)


def _draw_marks(targets: int, fakes: int, generator: np.random.Generator) -> NDArray[np.bool_]:
    """Give each target a few fakes, no two the same."""
    marks: dict[tuple[int, ...], None] = {}
    while len(marks) < targets:
        drawn = generator.choice(fakes, min(LINKS_TO_TARGET, fakes), replace=False)
        marks[tuple(sorted(drawn.tolist()))] = None
    drawn_marks = np.zeros((targets, fakes), np.bool_)
    for target, own in enumerate(marks):
        drawn_marks[target, list(own)] = True
    return drawn_marks


def find_fakes(plant: PlantedNetwork, released: Network, slack: tuple[int, int]) -> list[Nodes]:
    """Return every path in a release that matches the planted one."""
    plain = released.undirected
    found, count = active_kernels.find_paths(
        plain.offsets,
        plain.neighbors,
        plant.degrees,
        plant.inner,
        slack[0],
        slack[1],
        MOST_STEPS,
        MOST_FOUND,
    )
    return [found[index] for index in range(count)]


@dataclass(frozen=True)
class Attempt:
    """The result of one attack."""

    is_found: bool  # exactly one path, and it is the planted one
    targets_found: int
    targets: int
    pairs_right: int  # pairs of targets for which the attacker is right on whether they are linked
    pairs: int


def attempt(
    plant: PlantedNetwork, released: Network, rows: Nodes, progress: Progress | None = None
) -> Attempt:
    """Look for the fakes in a release of the planted network and read off the targets.

    `rows` is the planted node behind each released one. The search begins strict and allows for
    changed links step by step, as long as it finds nothing.
    """
    steps = progress or Progress(None)
    place = np.full(plant.network.nodes, -1, np.int64)
    place[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
    pairs = len(plant.targets) * (len(plant.targets) - 1) // 2
    for slack in SLACKS:
        steps.report(0, 1, "attack", attack="active")
        paths = find_fakes(plant, released, slack)
        if paths:
            break
    if len(paths) != 1:
        return Attempt(False, 0, len(plant.targets), 0, pairs)
    path = paths[0]
    right = bool(np.array_equal(place[plant.fakes], path))
    guesses = _read_off(plant, released.undirected, path)
    hits = sum(
        bool(guess >= 0 and guess == place[target])
        for guess, target in zip(guesses, plant.targets.tolist(), strict=True)
    )
    known = _count_known_pairs(plant, released.undirected, guesses, place)
    return Attempt(right, hits, len(plant.targets), known, pairs)


def _read_off(plant: PlantedNetwork, released: Network, path: Nodes) -> list[int]:
    """Return the one node linked with exactly the fakes of each target, or -1."""
    rows = [
        released.neighbors[released.offsets[node] : released.offsets[node + 1]] for node in path
    ]
    near = np.setdiff1d(np.unique(np.concatenate(rows)), path) if rows else np.zeros(0, np.int32)
    links = np.array([np.isin(near, row) for row in rows]).T
    guesses = []
    for mark in plant.marks:
        if not len(near):
            return [-1] * len(plant.marks)
        same = np.flatnonzero((links == mark).all(axis=1))
        guesses.append(int(near[same[0]]) if len(same) == 1 else -1)
    return guesses


def _count_known_pairs(
    plant: PlantedNetwork, released: Network, guesses: list[int], place: NDArray[np.int64]
) -> int:
    known = 0
    true = plant.network
    for one in range(len(guesses)):
        for other in range(one + 1, len(guesses)):
            ends = np.array([[guesses[one], guesses[other]]])
            if ends.min() < 0:
                continue
            targets = plant.targets[[one, other]]
            is_right = (place[targets] == ends[0]).all()
            same = released.has_edges(ends)[0] == true.has_edges(targets[None, :])[0]
            known += bool(is_right and same)
    return known


def attack_actively(network: Network, plan: NetworkPlan, progress: Progress) -> ActiveAttack:
    """Plant fake people, protect the network with them by the same plan, look for them again.

    Beside it, the same without protection. In a large network several attackers act at once, so
    that one protection serves many attempts. Each draws anew, nothing of it being released.
    """
    chance = Chance.in_secret()
    before: list[Attempt] = []
    after: list[Attempt] = []
    repeats = plan.measures.repeats
    while len(after) < repeats:
        progress.report(len(after), repeats, "attack", attack="active")
        generator = chance.generator(f"attempts from {len(after)} on")
        attackers = min(count_attackers(network.nodes), repeats - len(after))
        plants = plant_many(network, attackers, generator)
        planted = plants[0].network
        everyone = np.arange(planted.nodes, dtype=np.int32)
        draft = start_draft(planted, replace(plan, directed=False))
        for method in plan.methods:
            draft = method.apply(draft, generator, progress)
        before += [attempt(plant, planted, everyone, progress) for plant in plants]
        after += [attempt(plant, draft.network, draft.rows, progress) for plant in plants]
    return ActiveAttack(
        **vars(summarize_attempts(after)),
        fakes=len(plants[0].fakes),
        attackers_at_once=min(count_attackers(network.nodes), repeats),
        unprotected=summarize_attempts(before),
    )


def summarize_attempts(attempts: list[Attempt]) -> ActiveAttempts:
    """Return shares with 95 % intervals; that of success is exact, however few the attempts."""
    found = sum(own.is_found for own in attempts)
    return ActiveAttempts(
        attack="active",
        attempts=len(attempts),
        success=found / len(attempts) if attempts else 0.0,
        interval=exact_interval(found, len(attempts)),
        targets=_share([(own.targets_found, own.targets) for own in attempts]),
        links_read=_share([(own.pairs_right, own.pairs) for own in attempts]),
    )


def _share(counted: list[tuple[int, int]]) -> ShareFound:
    hits, total = sum(own[0] for own in counted), sum(own[1] for own in counted)
    share = hits / total if total else 0.0
    return ShareFound(right=hits, of=total, share=share, interval=wilson_interval(hits, total))


def _with_gaps(table: Table, more: int) -> Table:
    """Give fake people a row of gaps."""
    columns = []
    for column in table.columns:
        values = column.values if None in column.values else (*column.values, None)
        gaps = np.full(more, values.index(None), np.int32)
        columns.append(replace(column, codes=np.concatenate([column.codes, gaps]), values=values))
    return Table(tuple(columns))
