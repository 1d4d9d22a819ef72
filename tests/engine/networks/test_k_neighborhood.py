"""k-neighborhood: every neighborhood is isomorphic to k - 1 others, as networkx sees it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import Table
from deid_portal.engine.networks import Network
from deid_portal.engine.networks.changing.neighborhood_merge import Merging
from deid_portal.engine.networks.knowledge.neighborhoods import partition_by_neighborhood
from deid_portal.engine.networks.methods import k_neighborhood
from deid_portal.engine.progress import Progress
from tests.engine.networks.networks import (
    PAIRS,
    karate,
    neighborhood_classes,
    network_of,
    protect,
    read_public,
)

TREE = {"*": {"medical": ["nurse", "doctor"], "other": ["cook", "clerk"]}}
JOBS = {"job": {"role": "quasi-identifier", "taxonomy": {"tree": TREE}}}


def smallest(network: Network, labels: list[str | None] | None = None) -> int:
    """Count people with the same label and isomorphic neighborhoods."""
    classes = neighborhood_classes(network, labels)
    if labels is None:
        return min(map(len, classes))
    own = [{labels[node]: 0 for node in members} for members in classes]
    for counts, members in zip(own, classes, strict=True):
        for node in members:
            counts[labels[node]] += 1
    return min(count for counts in own for count in counts.values())


@settings(max_examples=20, deadline=None)
@given(PAIRS, st.integers(2, 4), st.sampled_from(["additions", "additions-deletions"]))
def test_any_network_is_protected(pairs: list[tuple[int, int]], k: int, changes: str) -> None:
    method = {"name": "k-neighbourhood", "k": k, "changes": changes}
    outcome = protect(network_of(pairs, 10), method, {"model": "k-neighbourhood", "k": k})
    assert outcome.released is not None
    assert smallest(outcome.released) >= k


@pytest.mark.parametrize("name", ["ca-GrQc", "wiki-Vote"])
def test_neighborhoods_that_changed_are_all_looked_at_again(name: str) -> None:
    merging = Merging(read_public(name), 5, np.random.default_rng(1), may_remove=True)
    reached = merging.run(400, 10**6, Progress(None))
    afresh = partition_by_neighborhood(merging.network, Progress(None))
    assert np.array_equal(reached.candidates, afresh.candidates)
    assert afresh.count_below(5) == 0
    rows = merging.network
    assert np.array_equal(rows.with_pairs(rows.pairs).neighbors, rows.neighbors)


def test_what_additions_alone_do_not_reach_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(k_neighborhood, "SMALL", 1)
    monkeypatch.setattr(k_neighborhood, "MOST_GROWTH", 1)
    method = {"name": "k-neighbourhood", "k": 5, "changes": "additions"}
    outcome = protect(karate(), method, {"model": "k-neighbourhood", "k": 5})
    assert outcome.released is None
    assert any("Adding links alone" in note for note in outcome.report.notes)


def test_additions_keep_every_link() -> None:
    method = {"name": "k-neighbourhood", "k": 2, "changes": "additions"}
    outcome = protect(network_of([(0, 1), (1, 2), (2, 3), (1, 3)], 9), method)
    assert outcome.report.network.links.removed == 0


@pytest.mark.parametrize("k", [2, 3])
def test_the_karate_club_keeps_much_of_its_links(k: int) -> None:
    method = {"name": "k-neighbourhood", "k": k}
    outcome = protect(karate(), method, {"model": "k-neighbourhood", "k": k})
    assert outcome.released is not None
    assert smallest(outcome.released) >= k
    assert outcome.report.utility.loss < 0.6


def test_labels_go_up_their_taxonomy_until_places_agree() -> None:
    jobs = Table.from_rows(["job"], [[job] for job in ("nurse", "doctor", "cook", "clerk") * 3])
    ring = np.array([[node, (node + 1) % 12] for node in range(12)])
    network = Network.from_pairs(12, ring, table=jobs)
    method = {"name": "k-neighbourhood", "k": 4, "label": "job"}
    model = {"model": "k-neighbourhood", "k": 4, "label": "job"}
    outcome = protect(network, method, model, columns=JOBS)
    assert outcome.released is not None
    assert outcome.released.table is not None
    labels = list(outcome.released.table["job"].cells())
    assert smallest(outcome.released, labels) >= 4
    assert set(labels) <= {"nurse", "doctor", "cook", "clerk", "medical", "other", "*"}
    leaves = {
        "nurse": 0,
        "doctor": 0,
        "cook": 0,
        "clerk": 0,
        "medical": 1 / 3,
        "other": 1 / 3,
        "*": 1,
    }
    lost = sum(leaves[label or "*"] for label in labels) / 12
    assert outcome.report.columns["job"].loss == pytest.approx(lost)
