"""Attacks find what can be found, and no more than that."""

import numpy as np
import pytest
from scipy.stats import binomtest

from deid_portal.engine.attacks.confidence import exact_interval
from deid_portal.engine.networks.attacks.active import (
    attempt,
    count_fakes,
    find_fakes,
    plant_fakes,
    plant_many,
    summarize_attempts,
)
from deid_portal.engine.networks.attacks.fake_links import detect_fake_links
from deid_portal.engine.networks.attacks.matching import attack_by_degree, attack_by_neighborhood
from deid_portal.engine.networks.attacks.walk import tell_walk
from deid_portal.engine.networks.knowledge.knowledge import partition_by_degree
from deid_portal.engine.progress import Progress
from deid_portal.engine.report.network import Walk
from tests.engine.networks.networks import (
    karate,
    named,
    neighborhood_classes,
    network_of,
    protect,
    read_public,
)
from tests.engine.vectors import check, find

EVERYONE = np.arange(34, dtype=np.int32)


def test_alice_and_cathy_find_bob_and_ed_and_their_link() -> None:
    vector = find("s3-graph-degree-attack")
    network = named(vector["input"]["edges"])
    walk = tell_walk(network)
    labels = network.labels
    assert labels is not None
    assert isinstance(walk, Walk)
    told = {f"deg{who.degree}": [labels[who.node]] for who in (walk.first, walk.second)}
    check(vector, told | {
        "common_neighbours": [labels[node] for node in walk.common],
        "remaining_neighbour_of_deg3": [labels[node] for node in walk.rest],
        "edge_bob_ed": walk.link,
        "degree_k": int(partition_by_degree(network).sizes.min()),
    })  # fmt: skip
    assert len(walk.words) == 5
    assert not any(name in sentence for name in labels for sentence in walk.words)


def test_nobody_walks_where_all_are_alike() -> None:
    walk = tell_walk(network_of([(0, 1), (1, 2), (2, 0)], 3))
    assert not walk.found
    assert len(walk.words) == 1


def test_an_unchanged_release_gives_everybody_away_as_often_as_classes_say() -> None:
    degrees = attack_by_degree(karate(), karate(), EVERYONE)
    assert degrees.success == pytest.approx(len(partition_by_degree(karate()).sizes) / 34)
    around = attack_by_neighborhood(karate(), karate(), EVERYONE, Progress(None))
    assert around.success == pytest.approx(len(neighborhood_classes(karate())) / 34)


def test_matching_follows_people_through_new_numbers() -> None:
    order = np.random.default_rng(1).permutation(34).astype(np.int32)
    shuffled = attack_by_degree(karate(), karate().renumbered(order), order)
    assert shuffled == attack_by_degree(karate(), karate(), EVERYONE)


def test_equal_degrees_make_the_degree_attack_miss() -> None:
    outcome = protect(karate(), {"name": "k-degree", "k": 5})
    degree = outcome.report.network.attacks[0]
    assert degree.success < 1 / 5
    assert degree.found_for_sure == 0


def test_links_between_strangers_are_told_from_true_ones() -> None:
    clique = [(a, b) for a in range(6) for b in range(a)]
    network = network_of([*clique, (0, 6), (1, 7)], 8)
    found = detect_fake_links(network, np.array([[0, 6], [1, 7]], np.int32))
    assert (found.added, found.precision, found.auc) == (2, 1.0, 1.0)


def test_planted_people_find_themselves_and_their_targets() -> None:
    network = read_public("ca-GrQc")
    attempts = []
    for seed in range(3):
        plant = plant_fakes(network, np.random.default_rng(seed))
        assert len(plant.fakes) == count_fakes(5241) == 31
        order = np.random.default_rng(9).permutation(plant.network.nodes).astype(np.int32)
        attempts.append(attempt(plant, plant.network.renumbered(order), order))
    told = summarize_attempts(attempts)
    assert told.success == 1
    assert told.links_read.share == 1
    assert told.interval[0] < 0.5 < told.interval[1]


def test_attackers_who_act_at_once_do_not_disturb_each_other() -> None:
    network = read_public("ca-GrQc")
    plants = plant_many(network, 10, np.random.default_rng(1))
    planted = plants[0].network
    everyone = np.arange(planted.nodes, dtype=np.int32)
    assert planted.nodes == network.nodes + 10 * count_fakes(network.nodes)
    told = summarize_attempts([attempt(plant, planted, everyone) for plant in plants])
    assert told.success == 1
    assert told.links_read.share == 1


@pytest.mark.parametrize(("found", "attempts"), [(0, 0), (0, 20), (7, 20), (20, 20), (1, 100)])
def test_the_interval_of_success_is_exact(found: int, attempts: int) -> None:
    if not attempts:
        assert exact_interval(found, attempts) == (0, 1)
        return
    true = binomtest(found, attempts).proportion_ci(method="exact")
    assert exact_interval(found, attempts) == pytest.approx((true.low, true.high))


@pytest.mark.parametrize("share", [0.02, 0.5])
def test_links_added_at_random_between_strangers_are_suspected(share: float) -> None:
    """In a clustered network true links have friends in common, and most random ones none."""
    outcome = protect(read_public("ca-GrQc"), {"name": "random-links", "share": share})
    fake = next(own for own in outcome.report.network.attacks if own.attack == "fake-links")
    assert fake.added == outcome.report.network.links.added
    assert fake.auc > 0.7
    assert fake.precision > 2 * fake.chance or share == 0.5


def test_planted_people_are_not_found_where_they_are_not() -> None:
    plant = plant_fakes(karate(), np.random.default_rng(1))
    assert find_fakes(plant, karate(), (0, 0)) == []
    came_to = attempt(plant, karate(), EVERYONE)
    assert not came_to.is_found
    assert came_to.pairs_right == 0


def test_the_plan_may_ask_for_the_active_attack() -> None:
    measures = {"attacks": ["active"], "repeats": 2}
    outcome = protect(karate(), {"name": "k-grouping", "k": 4}, measures=measures)
    active = outcome.report.network.attacks[-1]
    assert active.attempts == 2
    assert active.unprotected.success == 1
    assert active.success == 0
