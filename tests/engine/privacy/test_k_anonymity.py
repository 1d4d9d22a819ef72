from deid_portal.engine import protect
from deid_portal.engine.report.rules import RuleVerdict
from deid_portal.engine.report.table import RowCounts
from tests.engine.tables import FOUR, four_plan


def test_two_pairs_need_the_age_hidden() -> None:
    outcome = protect(FOUR, four_plan())
    assert outcome.released is not None
    assert outcome.report.transformation.levels == {"zip": 0, "age": 1}
    assert outcome.released.head(4) == [
        ["13053", "*", "Cancer"],
        ["13053", "*", "Flu"],
        ["13068", "*", "Flu"],
        ["13068", "*", "Flu"],
    ]
    assert outcome.report.models == (
        RuleVerdict(
            model="k-anonymity",
            parameters={"k": 2},
            holds=True,
            achieved={"k": 2},
            achieved_before={"k": 1},
        ),
    )


def test_half_suppressed_keeps_the_detail_of_the_rest() -> None:
    method = {"name": "levels", "levels": {}, "suppression_limit": 0.5}
    outcome = protect(FOUR, four_plan(method=method))
    assert outcome.report.rows == RowCounts(released=2, suppressed=2)
    assert outcome.report.utility.loss == 0.5
