"""Estimates before a run: near the truth on the demo's table, honest where there are none."""

import re

import pytest
from django.urls import reverse

from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import table_of
from deid_portal.engine import protect
from deid_portal.guide.demo.people import TEAM
from deid_portal.guide.demo.world import make_dataset, make_people
from deid_portal.plans import estimation, reduced_tables
from deid_portal.plans.composition import ProtectionChoice
from deid_portal.plans.estimation import NoEstimate, estimate_table_run
from deid_portal.plans.services import check_choice
from deid_portal.vault import vault
from deid_portal.vault.chunks import MAGIC
from tests import factories
from tests.conftest import Cast
from tests.patience import PATIENCE
from tests.plans.test_choose_protection import SignIn

# An estimate may leave this much more detail on the table than the run finds; both may leave out
# as many rows as the plan allows, so the rows left out may differ up to that limit.
LOSS_TOLERANCE = 0.03
LIMIT = 0.05


@pytest.fixture
def demo(db: None, monkeypatch: pytest.MonkeyPatch) -> Dataset:
    # A busy machine must not turn a test red: there is time for as many checks as anywhere.
    monkeypatch.setattr(estimation, "SECONDS", PATIENCE)
    make_people()
    dataset = make_dataset()
    assert dataset is not None
    assert dataset.team.name == TEAM
    return dataset


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    return factories.make_planned_dataset(cast.steward, cast.team)


@pytest.mark.parametrize(
    "rules",
    [
        [{"model": "k-anonymity", "k": 5}],
        [
            {"model": "k-anonymity", "k": 11},
            {"model": "confidence-bounding", "h": 0.5, "column": "condition"},
        ],
    ],
)
def test_the_estimate_is_near_the_run_on_the_demo(demo: Dataset, rules: list[object]) -> None:
    method = {"name": "full-domain", "suppression_limit": LIMIT}
    plan = check_choice(demo, ProtectionChoice(rules, method))  # type: ignore[arg-type]
    estimate = estimate_table_run(demo, plan)
    report = protect(table_of(demo), plan).report
    left_out = report.rows.suppressed / demo.rows
    assert estimate.loss is not None
    assert 0 <= estimate.loss - report.utility.loss + 1e-9 <= LOSS_TOLERANCE
    assert abs(estimate.left_out - left_out) <= LIMIT
    assert estimate.left_out <= LIMIT
    assert estimate.patterns == 19_502
    assert not estimate.is_sample


def test_given_levels_are_estimated_exactly(dataset: Dataset) -> None:
    method = {"name": "levels", "levels": {"Zip": 3, "Age": 2}, "suppression_limit": 1}
    plan = check_choice(dataset, ProtectionChoice(factories.RULES, method))
    estimate = estimate_table_run(dataset, plan)
    report = protect(table_of(dataset), plan).report
    assert estimate.loss == pytest.approx(report.utility.loss)
    assert estimate.records_left_out == report.rows.suppressed


def test_what_cannot_be_done_says_how_near_it_comes(dataset: Dataset) -> None:
    method = {"name": "levels", "levels": {}, "suppression_limit": 0}
    estimate = estimate_table_run(
        dataset, check_choice(dataset, ProtectionChoice(factories.RULES, method))
    )
    assert not estimate.is_possible
    assert estimate.loss is None
    assert estimate.left_out > 0


@pytest.mark.parametrize(
    ("rules", "method", "because"),
    [
        (factories.RULES, {"name": "mondrian"}, "No estimate for this method (Mondrian)."),
        (
            factories.RULES,
            [{"name": "sampling", "share": 0.5}, factories.METHOD],
            "No estimate for this method (Sampling).",
        ),
        (
            [{"model": "k-l-anonymity", "k": 4, "l": 1}],
            factories.METHOD,
            "No estimate for k-l-anonymity",
        ),
        (
            factories.RULES,
            {"name": "pram", "columns": ["Condition"], "epsilon": 1},
            "none of these methods makes people look alike",
        ),
    ],
)
def test_where_there_is_no_estimate_the_page_says_so(
    rules: list[dict[str, object]], method: dict[str, object], because: str, dataset: Dataset
) -> None:
    plan = check_choice(dataset, ProtectionChoice(rules, method))
    with pytest.raises(NoEstimate, match=re.escape(because)):
        estimate_table_run(dataset, plan)


def test_chance_on_other_columns_does_not_stand_in_the_way(dataset: Dataset) -> None:
    chain = [factories.METHOD, {"name": "pram", "columns": ["Condition"], "epsilon": 1}]
    assert estimate_table_run(
        dataset, check_choice(dataset, ProtectionChoice(factories.RULES, chain))
    ).is_possible


def test_patterns_are_counted_once_and_lie_sealed_beside_their_table(dataset: Dataset) -> None:
    plan = check_choice(dataset, ProtectionChoice(factories.RULES, factories.METHOD))
    estimate_table_run(dataset, plan)
    folder = vault.path_of(f"datasets/{dataset.id}/table-{dataset.table_id}")
    [stored] = folder.glob("patterns-*")
    content = stored.read_bytes()
    assert content.startswith(MAGIC)
    assert b"130" not in content, "no zip code in the clear"
    before = stored.stat().st_mtime_ns
    reduced_tables._open.cache_clear()
    estimate_table_run(dataset, plan)
    assert stored.stat().st_mtime_ns == before


def test_too_many_patterns_are_sampled(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reduced_tables, "MOST_PATTERNS", 6)
    estimate = estimate_table_run(
        dataset, check_choice(dataset, ProtectionChoice(factories.RULES, factories.METHOD))
    )
    assert estimate.is_sample
    assert estimate.patterns < 12
    assert estimate.rows == 12


def test_the_page_asks_without_putting_values_into_the_address(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    address = reverse("plans:estimate", args=[dataset.id])
    assert client.get(address).status_code == 405
    answer = client.post(address, {"k": "4", "suppression_percent": "0"}).content.decode()
    assert "Detail lost" in answer
    assert "An estimate, from" in answer
    answer = client.post(address, {"k": "1", "suppression_percent": "0"}).content.decode()
    assert "not complete yet" in answer


def test_who_sees_no_rows_is_told_no_estimate(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    """It names the group that pays and counts everybody: who knows the others finds the one."""
    address = reverse("plans:estimate", args=[dataset.id])
    data = {"k": "4", "suppression_percent": "0"}
    for person in (cast.reviewer, cast.approver):
        answer = signed_in(person).post(address, data)
        assert "stewards alone see them" in answer.content.decode()
        for told in ("payer", "estimate", "prices"):
            assert not answer.context.get(told)


def test_an_estimate_never_forgets_what_an_earlier_one_found(
    demo: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = {"name": "full-domain", "suppression_limit": LIMIT}
    plan = check_choice(demo, ProtectionChoice([{"model": "k-anonymity", "k": 5}], method))
    best = estimate_table_run(demo, plan)
    monkeypatch.setattr(estimation, "SECONDS", 0.0)
    assert estimate_table_run(demo, plan).loss == best.loss
