"""One plan in three views, by plain posts as a browser without scripts sends them."""

import json
import re
from typing import Any

import pytest
from django.urls import reverse

from deid_portal.datasets.models import Dataset
from deid_portal.runs.models import Run
from deid_portal.taxonomies.models import ColumnTaxonomy
from deid_portal.taxonomies.services import set_taxonomy
from tests import factories
from tests.conftest import Cast
from tests.plans.test_choose_protection import CHOICE, SignIn

EXPERT = {
    "view": "expert",
    "rule": ["0:k-anonymity", "1:t-closeness"],
    "rule0-k": "3",
    "rule1-t": "0.4",
    "rule1-distance": "equal",
    "rule1-column": "Condition",
    "method": ["0:full-domain"],
    "method0-suppression_limit": "0.1",
    "method0-metric": "loss",
}
PAGE = dict[str, Any]


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    return factories.make_planned_dataset(cast.steward, cast.team)


@pytest.fixture
def address(dataset: Dataset) -> str:
    return reverse("plans:protection", args=[dataset.id])


def _saved(dataset: Dataset) -> PAGE:
    dataset.protection.refresh_from_db()
    return {
        "rules": dataset.protection.rules,
        "method": dataset.protection.method,
        "measures": dataset.protection.measures,
        "answers": dataset.protection.answers,
    }


def test_plain_answers_are_kept_and_shown_again(
    cast: Cast, dataset: Dataset, address: str, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    answers = {
        "view": "plain",
        "audience": "public",
        "purpose": "testing",
        "facts": "2",
        "k": "3",
        "harm_4": "guess",
        "c_4": "70",
        "suppression_percent": "10",
    }
    assert client.post(address, answers).status_code == 302
    saved = _saved(dataset)
    assert saved["rules"] == [
        {"model": "k-anonymity", "k": 3},
        {"model": "confidence-bounding", "h": 0.7, "column": "Condition"},
    ]
    assert saved["answers"]["audience"] == "public"
    page = client.get(address).content.decode()
    assert re.search(r'value="public"[^>]*checked', page)
    assert re.search(r'value="testing"[^>]*checked', page)
    assert "Usual for a public download" in page


def test_whoever_knows_few_facts_is_answered_by_lkc_privacy(
    cast: Cast, dataset: Dataset, address: str, signed_in: SignIn
) -> None:
    answers = {"facts": "1", "k": "3", "harm_4": "guess", "c_4": "70", "suppression_percent": "0"}
    signed_in(cast.steward).post(address, answers)
    saved = _saved(dataset)
    values = {"Condition": None}
    assert saved["rules"] == [{"model": "lkc-privacy", "L": 1, "K": 3, "C": 0.7, "values": values}]
    assert saved["method"] == {"name": "mondrian"}


def test_data_for_a_classifier_is_refined_and_measured_for_it(
    cast: Cast, dataset: Dataset, address: str, signed_in: SignIn
) -> None:
    answers = {**CHOICE, "purpose": "classifier", "class_column": "Condition"}
    signed_in(cast.steward).post(address, answers)
    saved = _saved(dataset)
    assert saved["method"]["score"] == "information-gain"
    assert saved["measures"] == {"utility": {"class_column": "Condition"}}


def test_less_than_guessing_the_most_frequent_cannot_be_promised(
    cast: Cast, address: str, signed_in: SignIn
) -> None:
    answers = {**CHOICE, "harm_4": "guess", "c_4": "20"}
    answer = signed_in(cast.steward).post(address, answers)
    assert answer.status_code == 422
    assert "so less than that cannot be promised" in answer.content.decode()


def test_the_usual_numbers_are_filled_in_on_demand(
    cast: Cast, dataset: Dataset, address: str, signed_in: SignIn
) -> None:
    answers = {**CHOICE, "audience": "public", "harm_4": "guess", "c_4": "70", "act": "usual"}
    answer = signed_in(cast.steward).post(address, answers)
    page = answer.content.decode()
    assert re.search(r'name="k"[^>]*value="11"|value="11"[^>]*name="k"', page)
    assert _saved(dataset)["rules"] == factories.RULES, "nothing is saved by looking"


def test_experts_save_several_rules(
    cast: Cast, dataset: Dataset, address: str, signed_in: SignIn
) -> None:
    answer = signed_in(cast.steward).post(address, EXPERT)
    assert answer.status_code == 302
    assert answer["Location"].endswith("?view=expert")
    saved = _saved(dataset)
    assert [rule["model"] for rule in saved["rules"]] == ["k-anonymity", "t-closeness"]
    assert saved["method"]["suppression_limit"] == 0.1
    assert saved["answers"] == {}


def test_a_chain_of_methods_runs_and_is_reported(
    cast: Cast, dataset: Dataset, address: str, signed_in: SignIn
) -> None:
    chain = {
        **EXPERT,
        "rule": ["0:k-anonymity"],
        "method": ["0:full-domain", "1:pram"],
        "method1-columns": ["Condition"],
        "method1-epsilon": "1",
        "then": "start",
    }
    client = signed_in(cast.steward)
    client.post(address, chain, follow=True)
    assert [entry["name"] for entry in _saved(dataset)["method"]] == ["full-domain", "pram"]
    run = factories.finish_run(Run.objects.get())
    assert run.status == Run.Status.FINISHED, run.problem
    assert client.get(reverse("reports:report", args=[run.id])).status_code == 200


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rule0-k": "1"}, "A whole number of 2 or more is accepted, got 1."),
        ({"rule0-k": "many"}, "This is not a whole number."),
        ({"rule0-k": ""}, "A number is needed here."),
        ({"rule0-k": "13"}, "The table has 12 rows, so at most 12 is accepted."),
        ({"rule1-t": "2"}, "A number from 0 to 1 is accepted, got 2"),
        ({"rule1-distance": "hierarchical"}, "This needs a taxonomy; give the column"),
        ({"method": []}, "Choose at least one method."),
    ],
)
def test_what_makes_no_sense_is_said_at_its_field(
    change: PAGE, words: str, cast: Cast, dataset: Dataset, address: str, signed_in: SignIn
) -> None:
    answer = signed_in(cast.steward).post(address, {**EXPERT, **change})
    assert answer.status_code == 422
    assert words in answer.content.decode().replace("&quot;", '"')
    assert _saved(dataset)["rules"] == factories.RULES


def test_the_promise_names_parts_as_the_page_does(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    address = reverse("plans:promise", args=[dataset.id])
    page = signed_in(cast.steward).post(address, {**EXPERT, "rule0-k": "1"}).content.decode()
    assert "k-anonymity, k: a whole number of 2 or more is accepted, got 1." in page
    assert "models[0]" not in page


def test_an_unusual_value_carries_its_caution(cast: Cast, address: str, signed_in: SignIn) -> None:
    answer = signed_in(cast.steward).post(address, {**EXPERT, "rule0-k": "2", "act": "show expert"})
    assert "k = 2 is unusual" in answer.content.decode()


def test_buttons_of_the_list_keep_what_was_typed(
    cast: Cast, dataset: Dataset, address: str, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    typed = {**EXPERT, "rule0-k": "wrong", "new-rule": "highest-risk", "act": "add rule"}
    page = client.post(address, typed).content.decode()
    assert 'value="wrong"' in page
    assert 'value="2:highest-risk"' in page
    page = client.post(address, {**EXPERT, "act": "remove rule 0"}).content.decode()
    assert 'value="1:t-closeness"' in page
    assert 'value="0:k-anonymity"' not in page
    assert _saved(dataset)["rules"] == factories.RULES, "nothing is saved by looking"


def test_the_same_plan_is_shown_in_every_view(cast: Cast, address: str, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    page = client.post(address, {**CHOICE, "act": "show expert"}).content.decode()
    assert 'value="0:k-anonymity"' in page
    assert 'value="1:l-diversity"' in page
    page = client.post(address, {**EXPERT, "act": "show json"}).content.decode()
    assert "&quot;t-closeness&quot;" in page
    expressible = {**EXPERT, "rule": ["0:k-anonymity"]}
    page = client.post(address, {**expressible, "act": "show plain"}).content.decode()
    assert "This plan goes beyond these questions." not in page
    beyond = {**EXPERT, "rule": ["0:highest-risk"], "rule0-limit": "0.2", "act": "show plain"}
    page = client.post(address, beyond).content.decode()
    assert "This plan goes beyond these questions." in page


def test_the_document_can_be_edited(
    cast: Cast, dataset: Dataset, address: str, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    document = {"models": [{"model": "k-anonymity", "k": 6}], "method": factories.METHOD}
    posted = {"view": "json", "document": json.dumps(document)}
    assert client.post(address, posted).status_code == 302
    assert _saved(dataset)["rules"] == document["models"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "This is not valid JSON."),
        ("[]", "is needed"),
        ('{"models": [], "method": {"name": "magic"}}', "method.name: accepted are"),
        ('{"models": 7, "method": {"name": "none"}}', "models: a list is needed."),
        ('{"columns": {}, "method": {}}', "the columns come from the"),
        ('{"models": [{"model": "k-anonymity", "k": 3}], "method": []}', "at least one method"),
        ('{"models": [{"model": "k-anonymity", "k": 3}], "method": 5}', "an object"),
    ],
)
def test_a_document_that_makes_no_sense_is_refused(
    text: str, words: str, cast: Cast, dataset: Dataset, address: str, signed_in: SignIn
) -> None:
    answer = signed_in(cast.steward).post(address, {"view": "json", "document": text})
    assert answer.status_code == 422
    assert words in answer.content.decode().replace("&quot;", '"')
    assert _saved(dataset)["rules"] == factories.RULES


@pytest.mark.parametrize("name", ["promise", "estimate", "prices"])
def test_nonsense_in_the_document_is_answered_by_a_sentence(
    name: str, cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    address = reverse(f"plans:{name}", args=[dataset.id])
    for text in ("{", "7", '{"models": 7, "method": 7}', '{"models": [7], "method": {}}'):
        assert client.post(address, {"view": "json", "document": text}).status_code == 200, text


def test_measures_are_chosen_beside_the_plan(
    cast: Cast, dataset: Dataset, address: str, signed_in: SignIn
) -> None:
    asked = {
        "measure-attacks": ["homogeneity", "record-linkage"],
        "measure-class_column": "Condition",
        "measure-groups": ["Age"],
        "measure-queries": "50",
    }
    client = signed_in(cast.steward)
    assert client.post(address, {**CHOICE, **asked}).status_code == 302
    assert _saved(dataset)["measures"] == {
        "attacks": [
            {"attack": "homogeneity", "column": "Condition"},
            {"attack": "record-linkage"},
        ],
        "utility": {"class_column": "Condition", "groups": ["Age"], "queries": 50},
    }
    page = client.get(address).content.decode()
    assert re.search(r'value="homogeneity"\s+checked', page)
    answer = client.post(address, {**CHOICE, **asked, "measure-queries": "-1"})
    assert answer.status_code == 422


def test_no_measures_may_be_written_in_any_way(cast: Cast, address: str, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    for nothing in ({}, [], None):
        document = {"models": factories.RULES, "method": factories.METHOD, "measures": nothing}
        posted = {"view": "json", "document": json.dumps(document), "act": "show expert"}
        assert client.post(address, posted).status_code == 200


def test_measures_end_in_the_report(
    cast: Cast, dataset: Dataset, address: str, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    asked = {"measure-attacks": ["homogeneity", "downcoding"], "measure-groups": ["Age"]}
    client.post(address, {**CHOICE, **asked, "then": "start"}, follow=True)
    run = factories.finish_run(Run.objects.get())
    assert run.status == Run.Status.FINISHED, run.problem
    assert [attack.attack for attack in run.report.attacks] == ["homogeneity", "downcoding"]
    assert run.report.who_pays[0].column == "Age"
    assert client.get(reverse("reports:report", args=[run.id])).status_code == 200


def test_a_sensitive_column_may_have_a_taxonomy(
    cast: Cast, dataset: Dataset, address: str, signed_in: SignIn
) -> None:
    column = dataset.columns.get(name="Condition")
    values = [value for value, _ in column.profile["most_frequent"]]
    tree = {"tree": {"*": values}}
    kind = ColumnTaxonomy.Kind.TREE
    set_taxonomy(column=column, changed_by=cast.steward, kind=kind, recipe=tree)
    answer = signed_in(cast.steward).post(address, {**EXPERT, "rule1-distance": "hierarchical"})
    assert answer.status_code == 302
    document = signed_in(cast.steward).get(reverse("plans:document", args=[dataset.id])).json()
    assert "taxonomy" in document["columns"]["Condition"]


def test_reviewers_see_no_view_that_may_name_values(
    cast: Cast, dataset: Dataset, address: str, signed_in: SignIn
) -> None:
    signed_in(cast.steward).post(address, EXPERT)
    client = signed_in(cast.reviewer)
    for view in ("expert", "json"):
        page = client.get(f"{address}?view={view}").content.decode()
        assert 'name="document"' not in page
        assert 'value="0:k-anonymity"' not in page
    assert client.post(address, {**EXPERT, "act": "show expert"}).status_code == 403


def test_reviewers_see_the_promise_of_the_saved_plan_and_no_price(
    cast: Cast, dataset: Dataset, address: str, signed_in: SignIn
) -> None:
    beyond = {**EXPERT, "rule": ["0:highest-risk"], "rule0-limit": "0.25"}
    assert signed_in(cast.steward).post(address, beyond).status_code == 302
    client = signed_in(cast.reviewer)
    page = client.get(address).content.decode()
    assert "highest-risk limit 0.25" in page
    assert 'name="k"' not in page, "questions that do not express the plan are not shown"
    figures = client.post(reverse("plans:estimate", args=[dataset.id])).content.decode()
    assert "Detail lost" not in figures
    assert "stewards alone see them" in figures


def test_reviewers_cannot_ask_which_values_occur(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    rule = {"model": "confidence-bounding", "h": 0.5, "column": "Condition", "values": ["Plague"]}
    document = json.dumps({"models": [*factories.RULES, rule], "method": factories.METHOD})
    for name in ("promise", "estimate", "prices"):
        address = reverse(f"plans:{name}", args=[dataset.id])
        posted = {"view": "json", "document": document}
        page = signed_in(cast.reviewer).post(address, posted).content.decode()
        assert "do not occur" not in page
        assert "do not occur" in signed_in(cast.steward).post(address, posted).content.decode()


def test_without_scripts_the_estimate_comes_with_the_page(
    cast: Cast, address: str, signed_in: SignIn
) -> None:
    page = signed_in(cast.steward).post(address, {**CHOICE, "act": "estimate"}).content.decode()
    assert "Detail lost" in page
    assert "An estimate, from" in page
