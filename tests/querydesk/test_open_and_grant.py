"""Stewards open datasets, analysts ask for more, approvers decide, never for themselves."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from deid_portal.accounts.models import Role, User
from deid_portal.accounts.services import add_member
from deid_portal.audit.models import Event
from deid_portal.datasets.deletion import forget_dataset
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import values_of
from deid_portal.engine.taxonomies.pasted_tree import parse_pasted
from deid_portal.notices.models import Notice
from deid_portal.querydesk.ledger import balance_of
from deid_portal.querydesk.models import Desk, Question, Wish
from deid_portal.querydesk.services import close_desk
from deid_portal.querydesk.wishes import ask_for_more, decide_wish
from deid_portal.taxonomies.library import use_from_library
from deid_portal.taxonomies.models import TaxonomyKind
from deid_portal.taxonomies.services import set_outline, set_public_labels, set_taxonomy
from deid_portal.vault import vault
from deid_portal.web.refusals import Refused
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    return factories.make_tagged_dataset(cast.steward, cast.team)


@pytest.fixture
def desk(cast: Cast, dataset: Dataset) -> Desk:
    return factories.make_desk(cast.steward, cast.team, dataset)


def _terms(dataset: Dataset, **changes: Any) -> dict[str, Any]:
    age = dataset.columns.get(name="Age").position
    condition = dataset.columns.get(name="Condition").position
    return {
        f"open-{age}": "on",
        f"kind-{age}": "numbers",
        f"low-{age}": "0",
        f"high-{age}": "120",
        f"open-{condition}": "on",
        f"kind-{condition}": "list",
        f"values-{condition}": "Cancer\nFlu\n(missing)\n",
        "neighbours": "add_remove",
        "unit": "row",
        "total": "20",
        "analyst": "5",
        "period": "quarter",
        "smallest": "0.05",
        **{name.replace("age", f"{age}"): value for name, value in changes.items()},
    }


def test_open_a_dataset(cast: Cast, dataset: Dataset, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    page = client.get(f"/query-desk/open/{dataset.id}/").content.decode()
    assert "Nothing is filled in from" in page
    assert "Cancer" not in page
    answer = client.post(f"/query-desk/open/{dataset.id}/", _terms(dataset))
    desk = Desk.objects.get()
    assert answer["Location"] == f"/query-desk/{desk.id}/accounts/"
    assert desk.current.setting["domains"] == {
        "Age": {"low": 0, "high": 120},
        "Condition": {"values": ["Cancer", "Flu", None]},
    }
    event = Event.objects.get(action="desk.opened")
    assert "Cancer" not in str(event.facts)


def test_opening_looks_at_no_data(
    cast: Cast, dataset: Dataset, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def touch(*_: object) -> None:
        raise AssertionError("Opening looked at the data.")

    monkeypatch.setattr(vault, "open_reader", touch)
    client = signed_in(cast.steward)
    assert client.get(f"/query-desk/open/{dataset.id}/").status_code == 200
    answer = client.post(f"/query-desk/open/{dataset.id}/", _terms(dataset))
    assert answer.status_code == 302


WRONG = [
    ({"neighbours": ""}, "nothing is assumed"),
    ({"low-age": "90", "high-age": "17"}, "must be below the highest"),
    ({"low-age": ""}, "lowest and the highest number"),
    ({"kind-age": "whole", "low-age": "0.5"}, "Whole numbers have whole bounds"),
    ({"total": "0"}, "0.0001 or more"),
    ({"total": "nan"}, "number is needed"),
    ({"total": "1000000"}, "1,000 or less"),
    ({"analyst": "30"}, "cannot have more than everybody"),
    ({"smallest": "6"}, "nobody could ask"),
    ({"unit": "person"}, "who is who"),
    ({"delta": "0.5"}, "0.01 or less"),
    ({"delta": "1e-6"}, "Give both"),
]


def test_terms_that_make_no_sense_are_refused(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    for changes, sentence in WRONG:
        answer = client.post(f"/query-desk/open/{dataset.id}/", _terms(dataset, **changes))
        assert answer.status_code == 422, changes
        assert sentence in answer.content.decode(), changes
    assert not Desk.objects.exists()


def test_a_list_is_taken_only_when_asked_for(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    place = dataset.columns.get(name="Condition").position
    form = {**_terms(dataset), "take": f"{place}", f"source-{place}": "shelf-countries"}
    answer = signed_in(cast.steward).post(f"/query-desk/open/{dataset.id}/", form)
    page = answer.content.decode()
    assert "France" in page
    assert "Look the list through" in page
    assert 'value="120"' in page  # what was typed stays
    assert not Desk.objects.exists()


def test_values_keep_the_order_of_their_taxonomy(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    """As they were written; else by name, since the order of the table is nobody's business."""
    column = dataset.columns.get(name="Condition")
    client = signed_in(cast.steward)
    form = {**_terms(dataset), "take": f"{column.position}:tree"}

    def taken() -> list[str]:
        answer = client.post(f"/query-desk/open/{dataset.id}/", form)
        [row] = [one for one in answer.context["rows"] if one["column"].name == "Condition"]
        return str(row["values"].value()).split()

    tree = {"tree": {"all": {"chronic": ["Diabetes", "Cancer"], "mild": ["Flu"]}}}
    set_taxonomy(column=column, changed_by=cast.steward, kind=TaxonomyKind.TREE, recipe=tree)
    assert taken() == ["Diabetes", "Cancer", "Flu"]
    outline = parse_pasted("Flu;mild\nDiabetes;chronic\nCancer;chronic", values_of(column))
    set_outline(column=column, changed_by=cast.steward, outline=outline, words="Pasted")
    assert taken() == ["Cancer", "Diabetes", "Flu"]


def test_what_is_public_is_opened_at_once(cast: Cast, dataset: Dataset, signed_in: SignIn) -> None:
    """Ages have a taxonomy of the shelf; that of the zip codes was made for this table."""
    client = signed_in(cast.steward)
    address = f"/query-desk/open/{dataset.id}/"
    assert "Open what is public" not in client.get(address).content.decode()
    age = dataset.columns.get(name="Age")
    use_from_library(column=age, changed_by=cast.steward, key="shelf-ages")
    assert client.get(address).context["public"] == ["Age"]
    condition = dataset.columns.get(name="Condition")
    tree = {"tree": {"all": {"chronic": ["Diabetes", "Cancer", "Gout"], "mild": ["Flu"]}}}
    set_taxonomy(column=condition, changed_by=cast.steward, kind=TaxonomyKind.TREE, recipe=tree)
    assert client.get(address).context["public"] == ["Age"]
    set_public_labels(column=condition, changed_by=cast.steward, public_labels=True)
    assert client.get(address).context["public"] == ["Age", "Condition"]
    filled = client.post(address, {"take": "public"}).context["rows"]
    [row] = [one for one in filled if one["column"].name == "Condition"]
    # All that was written, also what does not occur in the table.
    assert row["values"].value().split() == ["Diabetes", "Cancer", "Gout", "Flu"]
    set_public_labels(column=condition, changed_by=cast.steward, public_labels=False)
    form = {"neighbours": "replace", "take": "public"}
    answer = client.post(address, form)
    opened = [row for row in answer.context["rows"] if row["open"].value()]
    assert [row["column"].name for row in opened] == ["Age"]
    low, high, kind = (opened[0][name].value() for name in ("low", "high", "kind"))
    assert (low, high, kind) == ("0", "125", "whole")
    assert not Desk.objects.exists()
    del form["take"]
    place = age.position
    terms = {f"open-{place}": "on", f"low-{place}": "0", f"high-{place}": "125"}
    budgets = {"unit": "row", "total": "20", "analyst": "5", "period": "once", "smallest": "0.05"}
    client.post(address, {**form, **terms, **budgets, f"kind-{place}": "whole"})
    declared = Desk.objects.get().current.setting["domains"]
    assert declared == {"Age": {"low": 0, "high": 125, "whole": True}}


def test_asking_for_more_goes_to_the_approver(cast: Cast, desk: Desk, signed_in: SignIn) -> None:
    form = {"amount": "2", "reason": "A table by age is missing."}
    signed_in(cast.analyst).post(f"/query-desk/{desk.id}/more/", form)
    wish = Wish.objects.get()
    assert Notice.objects.get(person=cast.approver, kind="budget.asked_for").asks
    approver = signed_in(cast.approver)
    home = approver.get("/")
    assert "more budget for questions" in home.content.decode()
    decision = {"verdict": "grant", "amount": "1.5", "answer": "Good reason."}
    approver.post(f"/query-desk/wishes/{wish.id}/", decision)
    assert balance_of(desk, cast.analyst).left == 6_500_000
    assert balance_of(desk, cast.analyst).total == 20_000_000
    assert Notice.objects.filter(person=cast.analyst, kind="budget.granted").exists()
    assert Event.objects.filter(action="budget.granted").count() == 1


def test_approvers_are_told_of_an_opening_and_of_a_higher_total(
    cast: Cast, desk: Desk, dataset: Dataset
) -> None:
    told = Notice.objects.filter(person=cast.approver)
    assert "for ε 20.00 in all" in told.get(kind="desk.opened").words
    factories.make_desk(cast.steward, cast.team, dataset, total_micro=10_000_000)
    assert not told.filter(kind="budget.raised").exists()
    factories.make_desk(cast.steward, cast.team, dataset, total_micro=30_000_000)
    raised = told.get(kind="budget.raised")
    assert "from ε 10.00 to ε 30.00" in raised.words
    assert raised.url == f"/query-desk/{desk.id}/accounts/"
    assert not Notice.objects.filter(person=cast.steward).exclude(kind__contains="read").exists()


def test_declining_needs_a_reason_and_gives_nothing(cast: Cast, desk: Desk) -> None:
    wish = ask_for_more(desk=desk, asked_by=cast.analyst, micro=1_000_000, reason="More.")
    with pytest.raises(Refused, match="Write a reason"):
        decide_wish(wish=wish, decided_by=cast.approver, micro=0, answer=" ")
    decide_wish(wish=wish, decided_by=cast.approver, micro=0, answer="Use what is there.")
    assert balance_of(desk, cast.analyst).left == 5_000_000
    with pytest.raises(Refused, match="already declined"):
        decide_wish(wish=wish, decided_by=cast.approver, micro=1, answer="Still.")


def test_a_grant_can_be_spent_even_when_the_dataset_had_nothing_left(cast: Cast) -> None:
    desk = factories.make_desk(cast.steward, cast.team, total_micro=5_000_000, pool_micro=5_000_000)
    factories.ask_about(desk, cast.analyst, epsilon=5.0)
    wish = ask_for_more(desk=desk, asked_by=cast.analyst, micro=1_000_000, reason="One more.")
    decide_wish(wish=wish, decided_by=cast.approver, micro=1_000_000, answer="Yes.")
    balance = balance_of(desk, cast.analyst)
    assert (balance.left, balance.total_limit) == (1_000_000, 6_000_000)
    assert balance_of(desk, cast.steward).left == 1_000_000


def test_nobody_grants_to_themselves(cast: Cast, desk: Desk) -> None:
    add_member(team=cast.team, user=cast.analyst, roles=[Role.APPROVER], added_by=None)
    cast.analyst.__dict__.pop("_roles_by_team", None)
    wish = ask_for_more(desk=desk, asked_by=cast.analyst, micro=1_000_000, reason="More.")
    with pytest.raises(Refused, match="another approver"):
        decide_wish(wish=wish, decided_by=cast.analyst, micro=1_000_000, answer="Yes.")


@pytest.mark.parametrize("who", ["steward", "reviewer", "administrator", "analyst"])
def test_only_approvers_grant(cast: Cast, desk: Desk, who: str) -> None:
    wish = ask_for_more(desk=desk, asked_by=cast.teammate, micro=1_000_000, reason="More.")
    with pytest.raises(Refused, match="Only approvers"):
        decide_wish(wish=wish, decided_by=getattr(cast, who), micro=1, answer="Yes.")


ANSWERED = {"steward": True, "analyst": True, "reviewer": False, "approver": False}


@pytest.mark.parametrize(("who", "may"), ANSWERED.items())
def test_who_may_ask(cast: Cast, desk: Desk, who: str, may: bool) -> None:
    if may:
        assert factories.ask_about(desk, getattr(cast, who)).price_micro == 1_000_000
    else:
        with pytest.raises(Refused, match="Stewards and analysts"):
            factories.ask_about(desk, getattr(cast, who))


def test_stewards_see_questions_and_spending_and_no_answer(
    cast: Cast, desk: Desk, signed_in: SignIn
) -> None:
    question = factories.answer_question(factories.ask_about(desk, cast.analyst))
    question.answer = {**question.answer, "value": 987654, "interval": [987651, 987657]}
    question.save(update_fields=["answer"])
    page = signed_in(cast.steward).get(f"/query-desk/{desk.id}/accounts/").content.decode()
    assert question.words.replace(">", "&gt;") in page
    assert "ε 1.00" in page
    assert "987" not in page
    assert signed_in(cast.steward).get(f"/query-desk/questions/{question.id}/").status_code == 404


def test_forgetting_the_table_closes_its_desk_and_keeps_the_answers(
    cast: Cast, desk: Desk, signed_in: SignIn
) -> None:
    question = factories.answer_question(factories.ask_about(desk, cast.analyst))
    waiting = factories.ask_about(desk, cast.analyst, epsilon=0.5)
    forget_dataset(desk.current.dataset, cast.steward)
    assert not Desk.objects.get().is_open
    assert Question.objects.get(id=waiting.id).status == Question.Status.STOPPED
    assert balance_of(desk, cast.analyst).left == 4_000_000
    page = signed_in(cast.analyst).get(f"/query-desk/questions/{question.id}/")
    assert "in 19 of 20 cases" in page.content.decode()


def test_a_closed_desk_is_gone_for_those_who_never_asked(
    cast: Cast, desk: Desk, signed_in: SignIn
) -> None:
    close_desk(desk=desk, closed_by=cast.steward)
    assert signed_in(cast.analyst).get(f"/query-desk/{desk.id}/").status_code == 404
    assert signed_in(cast.steward).get(f"/query-desk/{desk.id}/").status_code == 200


def test_a_dataset_that_was_open_cannot_be_discarded(
    cast: Cast, desk: Desk, signed_in: SignIn
) -> None:
    dataset = desk.current.dataset
    assert signed_in(cast.steward).post(f"/datasets/{dataset.id}/discard/").status_code == 403
    assert Dataset.objects.filter(id=dataset.id).exists()
