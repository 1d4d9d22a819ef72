"""The page at which questions are put together, priced and asked; every step without scripting."""

import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from deid_portal.accounts.models import User
from deid_portal.querydesk.answer_charts import chart_of
from deid_portal.querydesk.ledger import balance_of
from deid_portal.querydesk.models import Desk, Draft, Question
from deid_portal.querydesk.prices import round_up, setting_of
from deid_portal.querydesk.question_form import compose_question, draft_fields, kinds_that_fit
from deid_portal.vault import vault
from tests import factories
from tests.charts import check_chart
from tests.conftest import Cast

SignIn = Callable[[User], Client]


@pytest.fixture
def desk(cast: Cast) -> Desk:
    return factories.make_desk(cast.steward, cast.team)


def _form(**changes: Any) -> dict[str, Any]:
    return {"kind": "count", "key": str(uuid4()), "seen_terms": "1", "epsilon": "0.5", **changes}


def test_the_price_is_known_before_paying_and_touches_no_data(
    cast: Cast, desk: Desk, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def touch(*_: object) -> None:
        raise AssertionError("A price opened the vault.")

    monkeypatch.setattr(vault, "open_reader", touch)
    client = signed_in(cast.analyst)
    page = client.get(f"/query-desk/{desk.id}/")
    assert page.status_code == 200
    for kind in kinds_that_fit(setting_of(desk.current)):
        answer = client.post(f"/query-desk/{desk.id}/price/", _form(kind=kind.kind))
        assert answer.context["quote"].problem == "", kind.kind
        assert answer.context["quote"].price == "0.50"
    assert balance_of(desk, cast.analyst).left == 5_000_000


def test_accuracy_first(cast: Cast, desk: Desk, signed_in: SignIn) -> None:
    """Three people at 95 %: the ε that keeps it, and the two other fields follow."""
    form = _form(accuracy="3", epsilon="0.05", **{"was-accuracy": "59", "was-epsilon": "0.05"})
    quote = signed_in(cast.analyst).post(f"/query-desk/{desk.id}/price/", form).context["quote"]
    assert quote.width <= 3
    assert (quote.epsilon, quote.accuracy) == ("0.84", "3")
    cheaper = quote.priced.question.with_epsilon(0.82)
    assert cheaper.forecast(0.95).half_width > 3


def test_the_slider_and_the_price_are_one_value(cast: Cast, desk: Desk, signed_in: SignIn) -> None:
    client = signed_in(cast.analyst)
    form = _form(slider="100", epsilon="0.5", **{"was-slider": "0", "was-epsilon": "0.5"})
    quote = client.post(f"/query-desk/{desk.id}/price/", form).context["quote"]
    assert (quote.epsilon, quote.slider, quote.width) == ("2.00", 100, 1)


def test_ask_and_read_the_answer(cast: Cast, desk: Desk, signed_in: SignIn) -> None:
    client = signed_in(cast.analyst)
    answer = client.post(f"/query-desk/{desk.id}/ask/", _form())
    question = Question.objects.get()
    kept = f"/query-desk/{desk.id}/?question={question.id}"
    assert answer["Location"] == f"{kept}#answer-{question.id}"
    assert "The price is reserved" in client.get(f"/query-desk/{desk.id}/").content.decode()
    factories.answer_question(question)
    page = client.get(f"/query-desk/{desk.id}/").content.decode()
    assert "in 19 of 20 cases" in page
    assert 'class="answer-line"' in page
    text = client.get(f"/query-desk/questions/{question.id}/csv/").content.decode()
    assert text.splitlines()[0] == "what,answer,low,high,epsilon,question"


def test_conditions_are_added_and_taken_away_without_scripting(
    cast: Cast, desk: Desk, signed_in: SignIn
) -> None:
    client = signed_in(cast.analyst)
    address = f"/query-desk/{desk.id}/price/"
    added = client.post(address, _form(act="add", conditions="0"))
    (condition,) = added.context["composition"].conditions
    assert condition.operands[0].text == "0"  # the declared bound, not one of the table
    two = _form(act="add", conditions="1", **{"c0-column": "Condition", "c0-test": "is"})
    assert len(client.post(address, two).context["composition"].conditions) == 2
    dropped = _form(act="drop-0", conditions="2", **{"c1-column": "Condition"})
    (left,) = client.post(address, dropped).context["composition"].where
    assert left == {"column": "Condition", "is": ["Cancer"]}


def test_a_column_that_is_not_open_is_absent(cast: Cast, desk: Desk, signed_in: SignIn) -> None:
    page = signed_in(cast.analyst).post(
        f"/query-desk/{desk.id}/price/", _form(act="add", conditions="0")
    )
    assert "Zip" not in page.content.decode()
    form = _form(conditions="1", **{"c0-column": "Zip", "c0-test": "is", "c0-value": "13053"})
    asked = compose_question(
        draft_fields({name: [value] for name, value in form.items()}), _setting(desk)
    )
    assert asked.where[0]["column"] == "Age"


def _setting(desk: Desk) -> Any:
    return setting_of(desk.current)


def test_not_enough_left_says_what_would_fit(cast: Cast, signed_in: SignIn) -> None:
    desk = factories.make_desk(cast.steward, cast.team, analyst_micro=300_000)
    client = signed_in(cast.analyst)
    page = client.post(f"/query-desk/{desk.id}/price/", _form(epsilon="1"))
    assert page.context["quote"].fit_width == "10"
    text = page.content.decode()
    assert "± 10 would fit your balance" in text
    assert "Ask for more" in text
    assert 'id="ask" aria-disabled="true"' in text
    fitting = client.post(
        f"/query-desk/{desk.id}/price/", _form(epsilon="1", **{"set-epsilon": "0.30"})
    )
    assert fitting.context["quote"].can_ask
    refused = client.post(f"/query-desk/{desk.id}/ask/", _form(epsilon="1"))
    assert refused.status_code == 422
    assert "Nothing was spent" in refused.content.decode()


def test_the_same_question_is_free_and_a_closer_answer_is_offered(
    cast: Cast, desk: Desk, signed_in: SignIn
) -> None:
    factories.answer_question(factories.ask_about(desk, cast.steward, epsilon=1.0))
    client = signed_in(cast.analyst)
    same = client.post(f"/query-desk/{desk.id}/price/", _form(epsilon="1"))
    assert re.search(r"Answered on \d+ \w+ \d+", same.content.decode())
    assert same.context["quote"].price == "0.00"
    less = client.post(f"/query-desk/{desk.id}/price/", _form(epsilon="0.5"))
    text = less.content.decode()
    assert "Show the better answer, free" in text
    assert "and ask" not in text  # paying for a worse one is not offered
    assert less.context["quote"].left_after == "5.00"
    client.post(f"/query-desk/{desk.id}/ask/", _form(epsilon="0.5"))
    question = Question.objects.get(asked_by=cast.analyst)
    assert (question.price_micro, question.document["epsilon"]) == (0, 1.0)
    assert question.repeat_of is not None
    assert balance_of(desk, cast.analyst).left == 5_000_000


def test_the_question_stays_after_asking(cast: Cast, desk: Desk, signed_in: SignIn) -> None:
    """Every kind, with conditions of every test, comes back from what is stored."""
    client = signed_in(cast.analyst)
    setting = setting_of(desk.current)
    conditions = {
        "conditions": "3",
        "c0-column": "Age",
        "c0-test": "between",
        "c0-low": "20",
        "c0-high": "60",
        "c1-column": "Condition",
        "c1-test": "one_of",
        "c1-values": "Cancer",
        "c2-column": "Condition",
        "c2-test": "present",
    }
    for kind in kinds_that_fit(setting):
        form = _form(kind=kind.kind, rows="500", **{**conditions, "epsilon": "0.1"})
        answer = client.post(f"/query-desk/{desk.id}/ask/", form)
        asked = Question.objects.get(key=form["key"])
        composed = client.get(answer["Location"].partition("#")[0]).context
        assert composed["composition"].kind is kind
        assert composed["quote"].free == asked, kind.kind
    # The id of somebody else's question composes nothing.
    assert signed_in(cast.steward).get(answer["Location"].partition("#")[0]).status_code == 404


def test_every_kind_is_accuracy_first(cast: Cast, desk: Desk, signed_in: SignIn) -> None:
    client = signed_in(cast.analyst)
    address = f"/query-desk/{desk.id}/price/"
    for kind in kinds_that_fit(setting_of(desk.current)):
        page = client.post(address, _form(kind=kind.kind, rows="2000"))
        quote = page.context["quote"]
        if not kind.has_accuracy:
            assert "I want to pay" in page.content.decode()
            assert quote.forecast.example, kind.kind
            continue
        assert "I want to pay" not in page.content.decode(), kind.kind
        wanted = {"accuracy": quote.accuracy, "was-accuracy": "1", "epsilon": "0.2"}
        again = client.post(address, _form(kind=kind.kind, rows="2000", **wanted)).context["quote"]
        assert again.width <= quote.width * 1.01, kind.kind
        assert "e+" not in again.promise


def test_how_many_fit_is_typed_counted_or_an_example(
    cast: Cast, desk: Desk, signed_in: SignIn
) -> None:
    client = signed_in(cast.analyst)
    address = f"/query-desk/{desk.id}/price/"
    mean = {"kind": "mean", "f-column": "Age"}
    example = client.post(address, _form(**mean))
    assert "1,000 is an example" in example.content.decode()
    assert "if 1,000 or more fit" in example.content.decode()
    typed = client.post(address, _form(**mean, rows="4000")).context["quote"]
    assert typed.width < example.context["quote"].width / 3
    bad = client.post(address, _form(**mean, rows="many"))
    assert "Say about how many fit" in bad.context["quote"].problem
    counted = client.post(address, _form(**mean, **{"set-kind": "count"}))
    assert counted.context["composition"].kind_name == "count"

    count = factories.answer_question(factories.ask_about(desk, cast.steward, epsilon=1.0))
    known = client.post(address, _form(**mean))
    assert known.context["quote"].rows.counted == count
    assert known.context["quote"].rows.number == max(int(count.answer["interval"][0]), 1)
    assert "already paid for" in known.content.decode()
    # A count of other people says nothing about these.
    among = {"conditions": "1", "c0-column": "Condition", "c0-test": "is", "c0-value": "Cancer"}
    assert client.post(address, _form(**mean, **among)).context["quote"].rows.is_example


@pytest.mark.parametrize("epsilon", ["0.01", "0.02", "1", "20"])
def test_no_number_is_rounded_away(cast: Cast, desk: Desk, signed_in: SignIn, epsilon: str) -> None:
    page = signed_in(cast.analyst).post(f"/query-desk/{desk.id}/price/", _form(epsilon=epsilon))
    text = page.content.decode()
    assert "± 0 " not in text
    assert float(page.context["quote"].odds.replace(",", "")) > 1
    assert page.context["quote"].surest_guess not in ("50 %", "100 %")
    assert page.context["quote"].accuracy != "0"


BAD = [
    ({"epsilon": "0"}, "above 0"),
    ({"epsilon": "-1"}, "above 0"),
    ({"epsilon": "1000000"}, "20 is the most one question may cost"),
    ({"epsilon": "nan"}, "above 0"),
    ({"epsilon": "inf"}, "above 0"),
    ({"epsilon": "much"}, "ε is a number"),
    ({"epsilon": "0.001"}, "accepts ε 0.01 or more"),
    ({"accuracy": "0"}, "above 0"),
    ({"accuracy": "close"}, "how exact"),
    ({"kind": "histogram", "f-column": "Age", "f-buckets": "1000000"}, "buckets"),
    ({"kind": "histogram", "f-column": "Age", "f-buckets": "x"}, "a number is needed"),
    ({"conditions": "1", "c0-column": "Age", "c0-low": "500"}, "declared bounds"),
    (
        {
            "conditions": "1",
            "c0-column": "Age",
            "c0-test": "between",
            "c0-low": "9",
            "c0-high": "1",
        },
        "above the highest",
    ),
]


def test_bad_input_gets_a_sentence_and_loses_nothing(
    cast: Cast, desk: Desk, signed_in: SignIn
) -> None:
    client = signed_in(cast.analyst)
    for changes, sentence in BAD:
        page = client.post(f"/query-desk/{desk.id}/price/", _form(**changes))
        assert sentence in page.context["quote"].problem, changes
        asked = client.post(f"/query-desk/{desk.id}/ask/", _form(**changes))
        assert asked.status_code == 422, changes
    assert not Question.objects.exists()


def test_terms_that_changed_meanwhile_are_no_agreement(
    cast: Cast, desk: Desk, signed_in: SignIn
) -> None:
    factories.make_desk(cast.steward, cast.team, desk.current.dataset)
    answer = signed_in(cast.analyst).post(f"/query-desk/{desk.id}/ask/", _form())
    assert "changed the terms" in answer.content.decode()
    assert not Question.objects.exists()


def test_a_draft_is_kept_and_gone_on_with(cast: Cast, desk: Desk, signed_in: SignIn) -> None:
    client = signed_in(cast.analyst)
    form = _form(conditions="1", **{"c0-column": "Age", "c0-low": "65"})
    client.post(f"/query-desk/{desk.id}/draft/", form)
    draft = Draft.objects.get()
    page = client.get(f"/query-desk/{desk.id}/?draft={draft.id}")
    assert page.context["composition"].where == [{"column": "Age", "at_least": 65}]
    assert page.context["quote"].epsilon == "0.50"
    client.post(f"/query-desk/drafts/{draft.id}/drop/")
    assert not Draft.objects.exists()


def test_all_answers_are_listed_and_found(cast: Cast, desk: Desk, signed_in: SignIn) -> None:
    factories.answer_question(factories.ask_about(desk, cast.analyst))
    old = [{"column": "Age", "at_least": 65}]
    factories.answer_question(factories.ask_about(desk, cast.analyst, where=old))
    factories.ask_about(desk, cast.analyst, query="sum", column="Age")
    factories.ask_about(desk, cast.steward, where=[{"column": "Age", "at_least": 17}])
    client = signed_in(cast.analyst)

    def found(**wanted: str) -> list[str]:
        page = client.get(f"/query-desk/{desk.id}/answers/", wanted)
        return [card.words for card in page.context["cards"]]

    assert len(found()) == 3  # nobody else's
    assert found(q="AGE 65") == ["How many rows are there, where Age is at least 65?"]
    assert found(kind="sum") == ["What do the numbers of Age add up to?"]
    assert found(q="nothing like it") == []
    text = client.get(f"/query-desk/{desk.id}/answers/").content.decode()
    assert "Being answered" in text
    assert f"/query-desk/{desk.id}/?question=" in text


def test_small_and_negative_counts_say_so(cast: Cast, desk: Desk, signed_in: SignIn) -> None:
    question = factories.answer_question(factories.ask_about(desk, cast.analyst))
    question.answer = {**question.answer, "value": -2, "interval": [0, 1]}
    question.save(update_fields=["answer"])
    page = signed_in(cast.analyst).get(f"/query-desk/questions/{question.id}/").content.decode()
    assert "Too few to tell from zero." in page
    assert "−2" in page
    assert "Noise can push a small count below zero" in page


def test_a_histogram_has_a_finding_and_its_numbers(
    cast: Cast, desk: Desk, signed_in: SignIn
) -> None:
    question = factories.ask_about(
        desk, cast.analyst, epsilon=5, query="histogram", column="Age", edges=[0, 30, 60, 100]
    )
    question = factories.answer_question(question)
    page = signed_in(cast.analyst).get(f"/query-desk/questions/{question.id}/").content.decode()
    assert "30–60" in page
    assert "data-chart=" in page
    chart = chart_of(question, question.answer)
    assert chart is not None
    check_chart(chart)
    assert re.search(r"(More than half are|The largest group is|Too few)", page)


def test_prices_are_made_readable_upwards() -> None:
    assert [round_up(e) for e in (0.83195, 0.011, 0.1, 1.0)] == [0.84, 0.011, 0.1, 1.0]


def test_medians_say_before_and_after_how_sure_they_are(
    cast: Cast, desk: Desk, signed_in: SignIn
) -> None:
    client = signed_in(cast.analyst)
    form = _form(kind="median", **{"f-column": "age"})
    promise = client.post(f"/query-desk/{desk.id}/price/", form).context["quote"].promise
    assert promise.startswith("The interval holds the true number, 95 % sure; it reaches at most")
    ranks = {**form, "f-interval": "ranks"}
    promise = client.post(f"/query-desk/{desk.id}/price/", ranks).context["quote"].promise
    assert promise.startswith("The number named is at most")
    client.post(f"/query-desk/{desk.id}/ask/", form)
    question = factories.answer_question(Question.objects.get())
    low, high = question.answer["interval"]
    assert low <= question.answer["value"] <= high
    assert "The true value lies between" in client.get(f"/query-desk/{desk.id}/").content.decode()


def test_a_line_shows_the_intervals_of_its_numbers(cast: Cast, desk: Desk) -> None:
    document = {"target": "pay", "features": ["age"]}
    question = Question(kind="linear-regression", document=document)
    coefficients = {"intercept": 1.5, "age": -0.25}
    answer = {"coefficients": coefficients, "intervals": {"intercept": [1, 2], "age": [-0.5, 0]}}
    chart = chart_of(question, answer)
    assert chart is not None
    assert chart.rows == [("intercept", 1.5, 1, 2), ("age", -0.25, -0.5, 0)]
    assert chart.title == "Noise hides any effect"
    assert chart.table.columns == ["", "Change of pay", "From", "To"]
    assert chart.table.rows[1] == ["for 1 more age", "−0.25", "−0.5", "0"]
    assert chart.note == ""  # not a word about counts
    check_chart(chart)
    assert chart.caption == "Each interval holds the true number in 19 of 20 cases"
    two = {"coefficients": {**coefficients, "age": 0.25, "hours": 1.0}, "intervals": None}
    ends = {"intercept": [1, 2], "age": [0.1, 0.4], "hours": [-1, 3]}
    both = chart_of(question, {**two, "intervals": ends})
    assert both is not None
    assert both.title == "pay grows with age; noise hides hours"
    without = chart_of(question, {"coefficients": coefficients, "intervals": None})
    assert without is not None
    assert (without.caption, without.table.columns) == ("", ["", "Change of pay"])
    assert "any line" in without.note
