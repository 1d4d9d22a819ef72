import pytest

from deid_portal.engine import InvalidPlan, Table
from deid_portal.engine.differential import PrivacySetting, answer, parse_question

SETTING = PrivacySetting.from_document(
    {
        "neighbours": "add_remove",
        "domains": {"age": {"low": 0, "high": 99}, "sex": {"values": ["F", "M"]}},
    }
)
TABLE = Table.from_rows(
    ["age", "sex"], [["20", "F"], ["70", "M"], [None, "M"], ["80", "F"], ["old", "X"]]
)


@pytest.mark.parametrize(
    ("where", "truth"),
    [
        ([], 5),
        ([{"column": "age", "at_least": 70}], 2),
        ([{"column": "age", "at_most": 70}], 2),
        ([{"column": "age", "between": [20, 75]}], 2),
        ([{"column": "age", "missing": True}], 2),
        ([{"column": "sex", "is": ["F"]}], 2),
        ([{"column": "sex", "is_not": ["F"]}], 2),
        ([{"column": "sex", "missing": False}, {"column": "age", "at_least": 1}], 3),
    ],
)
def test_conditions_choose_rows(where: list[dict[str, object]], truth: int) -> None:
    """With ε = 20 the noise is 0 but for one time in 10⁸; an answer within 2 fails once in 10²⁶."""
    question = parse_question({"query": "count", "where": where, "epsilon": 20}, SETTING)
    assert abs(answer(TABLE, question).to_document()["value"] - truth) <= 2


def test_the_order_of_conditions_makes_no_other_question() -> None:
    first, second = {"column": "age", "at_least": 5}, {"column": "sex", "is": ["M", "F"]}
    asked = [
        parse_question({"query": "count", "where": where, "epsilon": 1}, SETTING)
        for where in ([first, second], [second, first, first])
    ]
    assert asked[0].fingerprint() == asked[1].fingerprint()
    assert parse_question(asked[0].to_document(), SETTING) == asked[1]


def test_accuracy_gives_the_smallest_epsilon() -> None:
    question = parse_question({"query": "count", "epsilon": 1}, SETTING).with_accuracy(3, 0.95)
    assert question.forecast().half_width == 3
    assert question.with_epsilon(question.epsilon * 0.999).forecast().half_width == 4


@pytest.mark.parametrize("epsilon", [0, -1, 1e6, float("nan"), float("inf"), "1", None, True])
def test_an_unusable_epsilon_is_refused(epsilon: object) -> None:
    with pytest.raises(InvalidPlan, match=r"^epsilon: a "):
        parse_question({"query": "count", "epsilon": epsilon}, SETTING)
