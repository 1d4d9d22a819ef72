"""A column of amounts in plain words: rounded, with rules that know how far amounts lie apart."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.plans.choice import PlainChoosing, show_saved
from deid_portal.plans.composition import ProtectionChoice, compose_plan
from deid_portal.plans.estimation import estimate_table_run
from deid_portal.plans.promises import describe_promise
from deid_portal.plans.services import choose_protection
from deid_portal.runs.models import Run
from deid_portal.runs.services import start_run
from deid_portal.taxonomies.models import ColumnTaxonomy
from deid_portal.taxonomies.services import set_taxonomy
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
BANDS = {"intervals": {"start": 0, "width": 1000, "widen": [2]}}
DIVERSE = {"model": "l-diversity", "variant": "distinct", "l": 3, "column": "Pay"}
POSTED = {"view": "plain", "facts": "2", "k": "5", "suppression_percent": "5"}


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    return factories.make_paid_dataset(cast.steward, cast.team)


def saved(dataset: Dataset, client: Client, **answers: str) -> ProtectionChoice:
    page = reverse("plans:protection", args=[dataset.id])
    response = client.post(page, {**POSTED, **answers})
    assert response.status_code == 302, response.content.decode()
    dataset = Dataset.objects.get(id=dataset.id)
    choosing = show_saved(dataset, "")
    assert choosing.view == "plain", "the questions say all of it"
    choice = choosing.read()
    assert choice is not None
    return choice


def test_the_first_proposal_rounds_and_asks_for_a_range(dataset: Dataset) -> None:
    choice = PlainChoosing(dataset).read()
    assert choice is not None
    rounding, method = choice.methods
    assert rounding["name"] == "rounding"
    assert rounding["columns"] == ["Pay"]
    assert method["name"] == "full-domain"
    assert [rule["model"] for rule in choice.rules] == ["k-anonymity", "k-e-anonymity"]
    plan = compose_plan(dataset, choice).to_plan()
    found = estimate_table_run(dataset, plan)
    assert found.is_possible
    assert found.left_out <= 0.05, "what is proposed fits"


def test_what_is_proposed_holds_on_what_leaves(dataset: Dataset, cast: Cast) -> None:
    choice = PlainChoosing(dataset).read()
    assert choice is not None
    choose_protection(
        dataset=dataset, chosen_by=cast.steward, rules=choice.rules, method=choice.method
    )
    dataset.refresh_from_db()
    run = factories.finish_run(start_run(dataset=dataset, started_by=cast.steward))
    assert run.status == Run.Status.FINISHED
    told = (run.report.sensitive or {})["Pay"]
    assert told.lone_values_before is not None
    assert told.lone_values is not None
    assert told.lone_values_before > 500 > 30 > told.lone_values


@pytest.mark.parametrize(
    ("answers", "rule"),
    [
        ({"harm_2": "near", "near_2": "50"}, {"model": "epsilon-m-anonymity", "epsilon": 50.0,
                                              "m": 2, "column": "Pay"}),
        ({"harm_2": "spread", "apart_2": "900.5"}, {"model": "k-e-anonymity", "k": 3, "e": 900.5,
                                                    "column": "Pay"}),
        ({"harm_2": "skew", "t_2": "0.2"}, {"model": "t-closeness", "t": 0.2, "column": "Pay",
                                            "distance": "ordered"}),
    ],
)  # fmt: skip
def test_answers_about_amounts_become_rules_that_know_nearness(
    answers: dict[str, str], rule: dict[str, object], dataset: Dataset, cast: Cast,
    signed_in: SignIn,
) -> None:  # fmt: skip
    choice = saved(dataset, signed_in(cast.steward), **answers)
    assert choice.rules[1] == rule
    assert len(choice.methods) == 1, "shown as it is unless said"


def test_a_sensitive_column_is_rounded_coded_or_grouped(
    dataset: Dataset, cast: Cast, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    rounded = saved(dataset, client, shown_2="rounded", base_2="200", ends_2="2.5")
    assert rounded.methods[:-1] == [
        {"name": "rounding", "columns": ["Pay"], "base": 200.0},
        {"name": "coding", "columns": ["Pay"], "top_share": 0.025, "bottom_share": 0.025},
    ]
    column = dataset.columns.get(name="Pay")
    kind = ColumnTaxonomy.Kind.INTERVALS
    set_taxonomy(column=column, changed_by=cast.steward, kind=kind, recipe=BANDS)
    answers = {"shown_2": "grouped", "level_2": "1", "harm_2": "skew", "t_2": "0.3"}
    grouped = saved(dataset, client, **answers)
    assert grouped.methods[0] == {"name": "coarsening", "levels": {"Pay": 1}}
    assert grouped.rules[1]["distance"] == "ordered", "the groups are ranges"
    run = factories.finish_run(start_run(dataset=dataset, started_by=cast.steward))
    assert run.status == Run.Status.FINISHED
    page = reverse("plans:protection", args=[dataset.id])
    refused = client.post(page, {**POSTED, **answers, "harm_2": "spread", "apart_2": "500"})
    assert "Groups are no amounts" in refused.content.decode()


def test_the_page_says_how_unique_the_values_are(
    dataset: Dataset, cast: Cast, signed_in: SignIn
) -> None:
    page = signed_in(cast.steward).get(reverse("plans:protection", args=[dataset.id]))
    text = " ".join(page.content.decode().split())
    uniques = dataset.columns.get(name="Pay").uniques
    assert f"{uniques:,} of 600 values of Pay occur once" in text
    assert "still occur once" in text
    assert 'value="same"' not in text, "distinct l-diversity is no choice for amounts"


def test_counting_different_values_is_cautioned_against(dataset: Dataset) -> None:
    def cautions(*methods: dict[str, object]) -> list[str]:
        choice = ProtectionChoice([*factories.RULES, DIVERSE], [*methods, factories.METHOD])
        return describe_promise(dataset, compose_plan(dataset, choice).to_plan()).cautions

    [found] = cautions()
    assert "values of Pay occur once, so l-diversity holds by itself" in found
    assert cautions({"name": "rounding", "columns": ["Pay"], "base": 1000}) == []
