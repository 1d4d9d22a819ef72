"""The comparison of two runs: its words are a pure function of the numbers."""

import itertools
from dataclasses import replace
from typing import Any

import pytest

from deid_portal.engine.report.summary import RunSummary
from deid_portal.reports.run_comparison import A, B, compare, headline_of
from deid_portal.reports.scenarios import Scenario
from tests.reports.scenarios import make_scenario

FINE = {"age": 0, "sex": 0}
COARSE = {"age": 0, "sex": 1}


@pytest.mark.parametrize(
    ("detail", "people", "risk", "words"),
    [
        ("A", "A", "A", "A keeps more detail and more people and has the lower risk; "
                        "nothing measured here speaks for B."),
        ("A", "A", "B", "A keeps more detail and more people, B has the lower risk."),
        ("A", "A", "", "A keeps more detail and more people; nothing measured here speaks for B."),
        ("A", "B", "A", "A keeps more detail and has the lower risk, B keeps more people."),
        ("A", "B", "B", "A keeps more detail, B keeps more people and has the lower risk."),
        ("A", "B", "", "A keeps more detail, B keeps more people."),
        ("A", "", "A", "A keeps more detail and has the lower risk; "
                       "nothing measured here speaks for B."),
        ("A", "", "B", "A keeps more detail, B has the lower risk."),
        ("A", "", "", "A keeps more detail; nothing measured here speaks for B."),
        ("B", "A", "A", "A keeps more people and has the lower risk, B keeps more detail."),
        ("B", "A", "B", "A keeps more people, B keeps more detail and has the lower risk."),
        ("B", "A", "", "A keeps more people, B keeps more detail."),
        ("B", "B", "A", "A has the lower risk, B keeps more detail and more people."),
        ("B", "", "", "B keeps more detail; nothing measured here speaks for A."),
        ("", "A", "B", "A keeps more people, B has the lower risk."),
        ("", "", "B", "B has the lower risk; nothing measured here speaks for A."),
        ("", "", "", "They come to the same."),
    ],
)  # fmt: skip
def test_the_headline_says_who_is_better_at_what(
    detail: str, people: str, risk: str, words: str
) -> None:
    assert headline_of(detail, people, risk) == words


def test_every_headline_is_told_from_the_other_side_by_changing_the_letters() -> None:
    swap = str.maketrans({"A": "B", "B": "A"})
    for answers in itertools.product(("A", "B", ""), repeat=3):
        turned = [answer.translate(swap) for answer in answers]
        told, mirrored = headline_of(*answers), headline_of(*turned)
        assert sorted(told.translate(swap).rstrip(".").split(", ")) == sorted(
            mirrored.rstrip(".").split(", ")
        )


def test_the_one_difference_is_named_with_what_it_buys() -> None:
    a = make_scenario(12, levels=FINE, loss=0.27, average=0.014, suppressed=130)
    b = make_scenario(11, levels=COARSE, loss=0.36, average=0.007, suppressed=50)
    found = compare(a, b).verdict
    assert found.headline == ("A keeps more detail, B keeps more people and has the lower risk.")
    assert found.difference == (
        "The one difference is sex: A leaves it exact, B hides it and so keeps 80 more rows."
    )
    assert found.choices == [
        (A, "when sex is studied."),
        (B, "when as many people as possible must stay in."),
    ]


def test_several_differences_name_the_largest() -> None:
    a = make_scenario(1, levels={"age": 2, "sex": 0}, loss=0.2)
    b = make_scenario(2, levels={"age": 1, "sex": 1}, loss=0.3)
    assert compare(a, b).verdict.difference == (
        "They differ in age and sex. The most in sex: A leaves it exact, B hides it."
    )
    many = dict.fromkeys("abcde", 0)
    other = dict.fromkeys("abcde", 1)
    told = compare(make_scenario(1, levels=many), make_scenario(2, levels=other))
    assert told.verdict.difference.startswith("They differ in 5 of 5 columns, the most in a:")


def test_the_smallest_group_decides_who_is_kinder() -> None:
    a = make_scenario(1, levels=FINE, suppressed=130, smallest_left_out=20)
    b = make_scenario(2, levels=COARSE, suppressed=50, smallest_left_out=12, loss=0.4)
    found = compare(a, b)
    line = next(line for line in found.lines if line.name == "Left out, sex “x”")
    assert (line.a, line.b) == ("20 of 40 (50\u00a0%)", "12 of 40 (30\u00a0%)")
    assert (line.better, line.words) == (B, "B is kinder to this small group")
    assert (B, "when small groups must stay in: sex “x” loses 30\u00a0% instead of 50\u00a0%.") in (
        found.verdict.choices
    )


def test_of_which_group_few_people_were_left_out_is_not_told_here_either() -> None:
    a = make_scenario(1, levels=FINE, suppressed=130, smallest_left_out=3)
    b = make_scenario(2, levels=COARSE, suppressed=50, smallest_left_out=0, loss=0.4)
    line = next(line for line in compare(a, b).lines if line.name == "Left out, sex “x”")
    assert (line.a, line.b) == ("fewer than 5 of 40", "fewer than 5 of 40")
    assert (line.better, line.words) == ("", "the same")


def test_differences_stand_first_and_columns_before_numbers() -> None:
    a = make_scenario(1, levels={"age": 1, "sex": 0, "job": 2}, suppressed=9)
    b = make_scenario(2, levels={"age": 1, "sex": 1, "job": 1}, suppressed=3)
    names = [line.name for line in compare(a, b).differences_first()]
    assert names[:3] == ["sex", "job", "Rows left out"]
    assert names.index("age") > names.index("Rows left out")


def test_columns_exact_in_both_are_told_in_one_line() -> None:
    found = compare(make_scenario(1, levels=FINE), make_scenario(2, levels=COARSE))
    assert found.exact_in_both == ["age"]
    assert "age" not in [line.name for line in found.lines]


def test_runs_of_different_columns_are_compared_on_those_they_share() -> None:
    a = make_scenario(1, levels={"age": 1, "sex": 0})
    b = make_scenario(2, levels={"age": 2, "job": 1})
    found = compare(a, b)
    assert (found.only_in_a, found.only_in_b) == (["sex"], ["job"])
    assert [line.name for line in found.lines if line.is_column] == ["age"]


def test_a_column_says_what_is_kept_of_it() -> None:
    a = make_scenario(1, levels={"age": 0, "sex": 1})
    b = make_scenario(2, levels={"age": 3, "sex": 0})
    lines = {line.name: line for line in compare(a, b).lines}
    assert (lines["age"].a, lines["age"].b) == ("exact (8 values)", "hidden")
    assert lines["age"].words == "A keeps all 8 values, B 2"
    assert (lines["age"].better, lines["sex"].better) == (A, B)


def test_runs_that_come_to_the_same_have_no_winner() -> None:
    found = compare(make_scenario(1), make_scenario(2))
    assert found.verdict.headline == "They come to the same."
    assert found.verdict.choices == []
    assert not any(line.better or line.differs for line in found.lines)


def test_risk_is_told_in_proportion() -> None:
    words = {
        average: {
            line.name: line.words
            for line in compare(
                make_scenario(1, average=0.1), make_scenario(2, average=average)
            ).lines
        }["Average risk"]
        for average in (0.05, 0.02, 0.08, 0.1)
    }
    assert words == {
        0.05: "B halves it",
        0.02: "B has 1 / 5 of it",
        0.08: "B has 2\u00a0% less",
        0.1: "the same",
    }


def with_age(own: Scenario, **changes: Any) -> Scenario:
    columns = {**own.summary.columns, "age": replace(own.summary.columns["age"], **changes)}
    return replace(own, summary=RunSummary.telling(**vars(own.summary) | {"columns": columns}))


def test_labels_of_several_levels_are_not_counted_as_values() -> None:
    a, b = make_scenario(1, levels={"age": 0}), make_scenario(2, levels={"age": 1})
    b = with_age(b, level=None, distinct_after=40, loss=0.3)
    line = compare(a, b).lines[0]
    assert (line.better, line.words) == (A, "A keeps more of it")


def test_a_hardly_finer_column_is_no_reason_to_choose() -> None:
    a = make_scenario(1, levels={"age": 0}, average=0.001)
    b = make_scenario(2, levels={"age": 1}, average=0.02)
    b = with_age(b, loss=0.01)
    assert (A, "when the risk must be as low as it can be.") in compare(a, b).verdict.choices
