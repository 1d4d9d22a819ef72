"""Who is no steward reads no value of few people and no count of few."""

import json

from hypothesis import given
from hypothesis import strategies as st

from deid_portal.reports.visibility import hide_small, without_values
from tests.reports.samples import make_report, two_left_out


def test_small_counts_are_hidden_and_cannot_be_subtracted() -> None:
    assert hide_small([[9, 3, 8], [7, 6, 5]]) == [[9, None, None], [7, None, None]]
    assert hide_small([[9, 0, 8]]) == [[9, 0, 8]]
    assert hide_small([[2, 1, 60]]) == [[None, None, 60]]


@given(st.lists(st.lists(st.integers(0, 12), min_size=3, max_size=3), min_size=1, max_size=4))
def test_no_line_hides_one_cell_alone_beside_others(cells: list[list[int]]) -> None:
    hidden = hide_small(cells)
    lines = [
        *hidden,
        *([list(line) for line in zip(*hidden, strict=True)] if len(cells) > 1 else []),
    ]
    for line in lines:
        if line.count(None) == 1:
            assert not any(line)  # nothing else to hide it behind, and nothing to subtract
    for own, shown in zip(cells, hidden, strict=True):
        assert all(b is None or (b == a and not 0 < b < 5) for a, b in zip(own, shown, strict=True))


def test_a_reviewer_reads_no_plan_and_no_group_of_look_alikes() -> None:
    seen = without_values(two_left_out())
    assert "plan" not in seen
    assert all("labels" not in group for group in seen["spread"][0]["worst"])
    # Two of ten have cancer: too few to be told, and so the eight others are not told either.
    assert seen["spread"][0]["worst"][0]["counts"] == [None, None]
    text = json.dumps(seen)
    assert "90210" not in text  # one person's
    assert seen["examples"]["zip"]["before"] == "13053"  # ten people's


def test_values_named_by_a_rule_stay_with_the_stewards() -> None:
    rule = {"model": "confidence-bounding", "h": 0.95, "column": "condition", "values": ["Cancer"]}
    report = make_report(models=[{"model": "k-anonymity", "k": 2}, rule])
    assert report["models"][1]["values"] == ["Cancer"]
    assert "values" not in without_values(report)["models"][1]


def test_rare_examples_are_not_given() -> None:
    report = {**two_left_out(), "examples": {"zip": {"before": "x", "after": "y", "people": 4}}}
    assert without_values(report)["examples"] == {}
