"""The published report of a network follows from its released links only, whatever the method."""

import json
from typing import Any

import pytest

from deid_portal.engine.networks import NetworkOutcome, assess_network
from deid_portal.engine.publication import promises_privacy, publish_report
from deid_portal.engine.report import Report
from deid_portal.engine.report.network import KnowledgeState
from tests.engine.networks.networks import plan_of
from tests.engine.networks.test_every_network_method import COLUMNS, EXAMPLES, NAMES, outcome_of

TOTALS = {"input": {"rows": 34}, "rows": {"released": 34, "suppressed": 0}}


def published(example: Any) -> tuple[Report, NetworkOutcome]:
    outcome = outcome_of(example)
    return publish_report(outcome.full_report, outcome.report.plan), outcome


@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES)
def test_every_figure_that_leaves_is_one_of_the_released_links(example: Any) -> None:
    report, outcome = published(example)
    if any(own == "k-grouping" for own in _methods(example)):
        return  # groups leave in place of links; `verify` counts them in groups.csv
    columns = _columns() if outcome.released.table is not None else {}
    alone = assess_network(outcome.released, plan_of({"name": "none"}, columns=columns))
    found = publish_report(alone, alone.plan)
    assert report.classes == found.classes
    assert report.risk == found.risk
    assert report.network is not None
    assert found.network is not None
    assert report.network.nodes == found.network.nodes
    assert report.network.links == found.network.links
    for name in report.network.risk.keys() & found.network.risk.keys():
        own = report.network.risk[name]
        assert _without_k(own.after) == _without_k(found.network.risk[name].after)


def _without_k(told: KnowledgeState) -> dict[str, Any]:
    return {
        key: own
        for key, own in told.to_document().items()
        if key not in ("k", "below_k", "share_below_k")
    }


def _methods(example: Any) -> list[str]:
    return [own["name"] for own in (example if isinstance(example, list) else [example])]


def _columns() -> dict[str, Any]:
    """The released columns, as they are: neither name nor taxonomy is there any more."""
    return {
        name: {key: own for key, own in column.items() if key != "taxonomy"}
        for name, column in COLUMNS.items()
        if column["role"] != "identifier"
    }


@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES)
def test_nothing_about_the_original_links_leaves(example: Any) -> None:
    """How many links were added and removed tells how many somebody had who was changed alone."""
    report, _ = published(example)
    text = json.dumps(
        {key: own for key, own in report.to_document().items() if key not in ("plan", "note")}
    )
    for word in ("before", "added", "removed", "intake", "attacks", "walk"):
        assert f'"{word}"' not in text, word
    assert not report.tells("utility") or report.utility.loss is None
    columns = report.columns if report.tells("columns") else {}
    assert all(column.loss is None for column in columns.values())
    if promises_privacy(report.plan):
        assert not report.tells("input")
        assert set(report.rows.to_document()) == {"released"}
    else:
        assert {key: report.to_document()[key] for key in TOTALS} == TOTALS
