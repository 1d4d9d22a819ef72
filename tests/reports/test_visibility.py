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


def two_groups(*suppressed: int) -> list[dict[str, object]]:
    return [
        {"value": f"v{number}", "records": 50, "suppressed": count, "loss": 0.123}
        for number, count in enumerate(suppressed)
    ]


def seen_groups(*suppressed: int) -> list[dict[str, object]]:
    entry = {"column": "region", "groups": two_groups(*suppressed)}
    report = {**two_left_out(), "who_pays": [entry]}
    groups: list[dict[str, object]] = without_values(report)["who_pays"][0]["groups"]
    return groups


def test_of_which_group_few_people_were_left_out_is_not_told() -> None:
    assert [own["suppressed"] for own in seen_groups(1, 0, 0)] == [None, None, None]
    assert [own["suppressed"] for own in seen_groups(1, 9, 30)] == [None, None, 30]
    assert [own["suppressed"] for own in seen_groups(2, 1, 30)] == [None, None, 30]
    assert [own["suppressed"] for own in seen_groups(0, 6, 7)] == [0, 6, 7]


def test_people_left_out_cannot_be_found_by_subtracting_counts() -> None:
    """Before beside after, or everybody beside those of the release, would name their groups."""
    assert [own["records"] for own in seen_groups(1, 0, 0)] == [49, 50, 50]
    report = two_left_out()
    assert report["rows"]["suppressed"] == 2
    seen = without_values(report)["distributions"]
    stewards = report["distributions"]
    for told, own in zip(seen["columns"], stewards["columns"], strict=True):
        assert sum(told["before"]) == report["rows"]["released"]
        assert sum(own["before"]) == report["input"]["rows"]
        assert told["before"] == own["kept"]


def test_other_figures_about_the_original_are_rounded_to_five_people() -> None:
    report = two_left_out()
    seen = without_values(report)
    step = 0.5  # of 22 people, five are 0.23
    told = [own["total_variation"] for own in seen["comparison"]["columns"]]
    told += [seen["risk"]["before"]["marketer"], seen["utility"]["loss"]]
    assert all(share in (0.0, step, 1.0) for share in told)
    assert seen["risk"]["after"] == report["risk"]["after"]


def test_where_nobody_was_left_out_nothing_needs_rounding() -> None:
    report = make_report(method={"name": "levels", "levels": {"zip": 5, "sex": 1}})
    assert report["rows"]["suppressed"] == 0
    assert without_values(report)["comparison"] == report["comparison"]
