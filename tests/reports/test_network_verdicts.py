"""The verdict on a network names what is not protected, and what would be."""

import json
from typing import Any

import pytest

from deid_portal.engine.networks.knowledge.knowledge import Knowledge
from deid_portal.engine.networks.methods import NETWORK_METHODS
from deid_portal.engine.report import Report
from deid_portal.engine.wording.knowledge import KNOWLEDGE_PHRASES
from deid_portal.reports.network_verdicts import judge_network, network_verdict
from tests.engine.networks.networks import karate, protect
from tests.engine.tables import DATA


def report_of(method: dict[str, Any], model: str = "", **more: Any) -> Report:
    models = [{"model": model, "k": method["k"]}] if model else []
    return protect(karate(), method, *models, **more).report


def test_the_headline_names_the_worst_that_is_not_protected() -> None:
    report = report_of({"name": "k-degree", "k": 5}, "k-degree")
    risk = report.network.risk
    alone = {known: own.after.unique for known, own in risk.items()}
    worst = max(alone, key=lambda known: alone[known])
    assert alone["degree"] == 0 < alone[worst]
    verdict = judge_network(report)
    assert verdict.tone == "warn"
    assert verdict.sentence.startswith(
        "Every person hides among at least 5 look-alikes to somebody who knows how many links "
        "people have, but "
    )
    assert verdict.sentence.endswith(f"to somebody who knows {KNOWLEDGE_PHRASES[worst]}.")


def test_everything_open_is_counted_and_a_method_against_all_of_it_proposed() -> None:
    report = report_of({"name": "k-degree", "k": 5}, "k-degree")
    gaps = judge_network(report).gaps
    assert gaps is not None
    for known, own in report.network.risk.items():
        assert (KNOWLEDGE_PHRASES[known] in gaps.words) == (own.after.below_k > 0)
    kind = NETWORK_METHODS[gaps.method]
    assert {Knowledge(known) for known in report.network.risk} <= {*kind.withstands}
    assert f"“{kind.title}” would protect" in gaps.remedy


def test_the_method_that_is_proposed_leaves_nothing_open() -> None:
    proposed = judge_network(report_of({"name": "k-degree", "k": 5}, "k-degree")).gaps
    assert proposed is not None
    for model in ("k-degree", "k-neighbour-degrees", "k-neighbourhood"):
        report = report_of({"name": proposed.method, "k": 5}, model)
        verdict = judge_network(report)
        assert (verdict.tone, verdict.gaps) == ("ok", None)
        assert verdict.sentence == "Groups of at least 5 people leave, and no single person."


def test_a_network_that_was_not_changed_is_said_to_show_people() -> None:
    report = report_of({"name": "none"})
    assert network_verdict(report) == (
        "67.6\u00a0% stand alone to somebody who knows how many links people and their contacts "
        "have."
    )


@pytest.mark.parametrize(
    ("more", "unit"), [({}, "link"), ({"protects": "people", "bound": 8}, "person")]
)
def test_noisy_counts_say_what_they_protect(more: dict[str, Any], unit: str) -> None:
    report = report_of({"name": "private-degrees", "epsilon": 0.5, **more})
    assert network_verdict(report) == f"The release hardly depends on any one {unit} (ε = 0.5)."
    assert judge_network(report).gaps is None


def test_a_network_without_a_release_says_so() -> None:
    report = report_of({"name": "none"}, models=[{"model": "k-degree", "k": 5}])
    assert (
        network_verdict(report)
        == "No change that was tried satisfies this plan. Nothing was released."
    )
    assert judge_network(report).gaps is None


@pytest.mark.parametrize("view", ["whole", "published", "in_house"])
def test_whoever_sees_a_part_of_the_report_reads_the_same(view: str) -> None:
    stored = json.loads((DATA / "reports" / "network-k-degree.json").read_text())
    report, whole = (Report.from_document(stored[own]) for own in (view, "whole"))
    assert network_verdict(report) == network_verdict(whole)
    assert "but 70.6\u00a0% stand alone" in network_verdict(report)
