"""One contract over all kinds of questions; a new kind without an example fails."""

import json
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Cancelled, InvalidPlan, Table
from deid_portal.engine.differential import QUESTIONS, answer, parse_question
from deid_portal.engine.differential.question import COMMON
from tests.engine.differential.questions import (
    EXAMPLES,
    KINDS,
    NAMES,
    NEIGHBOURS,
    ask,
    random_table,
    setting,
)

every_kind = pytest.mark.parametrize(("kind", "entry"), KINDS)
every_relation = pytest.mark.parametrize("neighbours", NEIGHBOURS)
WHERE = [{"column": "sex", "is": ["F"]}, {"column": "age", "missing": False}]
FIELDS = {
    "query",
    "confidence",
    "mechanism",
    "sensitivity",
    "scale",
    "epsilon",
    "delta",
    "neighbours",
    "sentence",
    "notes",
}


def table(seed: int = 1, rows: int = 30) -> Table:
    return random_table(np.random.default_rng(seed), rows)


def test_every_kind_has_an_example() -> None:
    assert list(EXAMPLES) == list(QUESTIONS)


@every_kind
@every_relation
def test_a_question_is_read_back_as_it_is_written(
    kind: str, entry: dict[str, Any], neighbours: str
) -> None:
    own = setting(neighbours)
    question = ask(kind, {**entry, "where": WHERE}, own)
    again = parse_question(json.loads(json.dumps(question.to_document())), own)
    assert again == question
    assert again.fingerprint() == question.fingerprint()
    assert question.fingerprint() != ask(kind, entry, own).fingerprint()
    assert question.fingerprint() != question.with_epsilon(0.5).fingerprint()
    other = next(name for name in NEIGHBOURS if name != neighbours)
    assert (
        question.fingerprint() != ask(kind, {**entry, "where": WHERE}, setting(other)).fingerprint()
    )


@every_kind
def test_says_whether_it_needs_a_delta(kind: str, entry: dict[str, Any]) -> None:
    without = setting(delta=None)
    if QUESTIONS[kind].needs_delta:
        with pytest.raises(InvalidPlan, match="delta"):
            ask(kind, entry, without)
    elif entry.get("mechanism") != "gaussian":
        assert ask(kind, entry, without).epsilon == 1.0


@every_kind
def test_says_what_its_numbers_are(kind: str, entry: dict[str, Any]) -> None:
    own = QUESTIONS[kind]
    assert own.answer_unit in ("", "people", "percentiles", "squared")
    document = answer(table(), ask(kind, entry, setting())).to_document()
    assert not own.is_count or document.get("value") is not None
    if not own.has_equal_intervals:
        assert {"values", "coefficients"} & set(document)


@every_kind
@every_relation
def test_an_answer_says_what_it_must(kind: str, entry: dict[str, Any], neighbours: str) -> None:
    question = ask(kind, {**entry, "where": WHERE}, setting(neighbours))
    document = answer(table(), question).to_document()
    assert set(document) >= FIELDS
    assert {"value", "values", "coefficients"} & set(document)
    assert (document["neighbours"], document["epsilon"]) == (neighbours, 1.0)
    assert document["scale"] > 0 < document["sensitivity"]
    assert document["sentence"].strip().endswith(".")
    json.dumps(document, allow_nan=False)


@every_kind
def test_what_is_known_beforehand_is_said(kind: str, entry: dict[str, Any]) -> None:
    question = ask(kind, entry, setting())
    forecast = question.forecast()
    assert question.words().endswith("?")
    assert all(text.endswith(".") for text in (forecast.sentence, forecast.sensitivity_words))
    assert "nan" not in f"{question.explain()} {forecast}"
    assert "None" not in question.explain()
    assert QUESTIONS[kind].label
    assert QUESTIONS[kind].tile
    assert not {own.name for own in QUESTIONS[kind].fields} & {*COMMON, "query"}


@every_kind
def test_less_epsilon_is_more_noise_at_the_same_sensitivity(
    kind: str, entry: dict[str, Any]
) -> None:
    cheap, dear = (ask(kind, entry, setting(), epsilon).forecast() for epsilon in (0.1, 1))
    assert cheap.scale > 3 * dear.scale
    assert cheap.sensitivity == dear.sensitivity


@every_kind
@every_relation
def test_tables_without_fitting_rows_are_answered_like_any_other(
    kind: str, entry: dict[str, Any], neighbours: str
) -> None:
    question = ask(kind, entry, setting(neighbours))
    for rows in ([], [["1", None, "x", None, "Z", "soon"]]):
        document = answer(Table.from_rows(NAMES, rows), question).to_document()
        json.dumps(document, allow_nan=False)


@every_kind
def test_conditions_change_neither_price_nor_noise(kind: str, entry: dict[str, Any]) -> None:
    plain, filtered = (ask(kind, {**entry, "where": where}, setting()) for where in ([], WHERE))
    assert plain.price == filtered.price
    assert plain.forecast().scale == filtered.forecast().scale


@every_kind
def test_a_cap_of_three_rows_costs_three_times_the_noise(kind: str, entry: dict[str, Any]) -> None:
    one = ask(kind, entry, setting()).forecast()
    three = ask(kind, entry, setting(person={"column": "person", "rows": 3})).forecast()
    most = {"truncated": 20}.get(str(entry.get("variant")), 3 * one.sensitivity)
    most = 1.0 if kind == "logistic-regression" else most  # the gradient of a person is cut
    assert three.sensitivity == pytest.approx(min(3 * one.sensitivity, most))


@every_kind
@pytest.mark.parametrize("rows", [None, 1000])
def test_an_accuracy_gives_an_epsilon_or_a_sentence(
    kind: str, entry: dict[str, Any], rows: int | None
) -> None:
    question = ask(kind, entry, setting())
    forecast = question.forecast(rows=rows)
    width = forecast.half_width
    assert forecast.rows == (rows if question.depends_on_rows else None)
    if width is None:
        assert rows is None or not QUESTIONS[kind].has_accuracy
        with pytest.raises(InvalidPlan, match="no accuracy can be promised"):
            question.with_accuracy(1.0, rows=rows)
        return
    found = question.with_accuracy(width, rows=rows)
    assert found.forecast(rows=rows).half_width <= width
    if question.with_epsilon(0.5).forecast(rows=rows).half_width > width:
        assert found.epsilon == pytest.approx(1.0, rel=0.2)
    else:  # all that is declared: no noise makes it worse
        assert found.epsilon < 0.5
    if question.with_epsilon(20).forecast(rows=rows).half_width:  # whole numbers can be exact
        with pytest.raises(InvalidPlan, match="more exact"):
            question.with_accuracy(1e-12, rows=rows)


@every_kind
def test_stop_is_heard(kind: str, entry: dict[str, Any]) -> None:
    def stop(done: int, total: int, phase: str, **figures: Any) -> None:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        answer(table(), ask(kind, entry, setting()), stop)
