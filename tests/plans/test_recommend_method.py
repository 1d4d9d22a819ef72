"""Which method is proposed, as a table: what is known about the data, and what follows."""

import pytest

from deid_portal.engine.methods import METHODS
from deid_portal.plans.recommendation import Purpose, TableFacts, recommend_method

ADULT = {"quasi_identifiers": 9, "numeric": 1, "combinations": 12_960, "facts_known": 9}


@pytest.mark.parametrize(
    ("facts", "purpose", "method", "because"),
    [
        ({}, Purpose.COUNTS, "full-domain", "12,960 combinations of levels is found and proved"),
        ({}, Purpose.TESTING, "full-domain", "the same form in every row"),
        ({}, Purpose.CLASSIFIER, "full-domain", "means the same in every row"),
        ({"class_column": "income"}, Purpose.CLASSIFIER, "top-down", "the values of income apart"),
        ({"class_column": "income"}, Purpose.COUNTS, "full-domain", "proved"),
        ({"facts_known": 4}, Purpose.COUNTS, "mondrian", "any 4 facts has to hold on 126"),
        (
            {"facts_known": 4, "quasi_identifiers": 20},
            Purpose.COUNTS,
            "top-down",
            "4,845 combinations",
        ),
        ({"quasi_identifiers": 30, "facts_known": 30}, Purpose.COUNTS, "mondrian", "With 30"),
        ({"numeric": 9}, Purpose.NUMBERS, "microaggregation", "show their average"),
        ({"numeric": 5}, Purpose.NUMBERS, "mondrian", "5 of 9 quasi-identifiers are numbers"),
        ({"numeric": 4}, Purpose.NUMBERS, "full-domain", "means the same"),
        ({"numeric": 9}, Purpose.COUNTS, "full-domain", "means the same"),
        ({"combinations": 2_000_000}, Purpose.COUNTS, "full-domain", "stops at its time limit"),
    ],
)
def test_the_first_line_that_fits_decides(
    facts: dict[str, int], purpose: Purpose, method: str, because: str
) -> None:
    found = recommend_method(TableFacts(**{**ADULT, **facts}), purpose)  # type: ignore[arg-type]
    assert found.method == method
    assert because in found.reason


def test_noise_and_chance_are_never_recommended_for_identity() -> None:
    for purpose in Purpose:
        for numeric in range(0, 31, 5):
            facts = TableFacts(30, numeric, 10**6, facts_known=30, class_column="")
            assert METHODS[recommend_method(facts, purpose).method].makes_classes
