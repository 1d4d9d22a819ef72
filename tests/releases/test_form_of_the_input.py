"""A release is written as the file that came: its separator and its decimal sign."""

import json

from deid_portal.attacks.cases import open_case
from deid_portal.plans.services import choose_protection
from deid_portal.releases.packages import read_file
from deid_portal.reports.selectors import released_rows_of
from deid_portal.reviews.services import RequestTerms, ask_for_review
from deid_portal.runs.services import start_run
from tests import factories
from tests.conftest import Cast

RULES = [{"model": "k-anonymity", "k": 5}]


def test_semicolons_and_decimal_commas_stay(cast: Cast, without_pdf: None) -> None:
    dataset = factories.make_paid_dataset(cast.steward, cast.team)
    rounding = {"name": "rounding", "columns": ["Pay"], "base": 0.5}
    levels = {"name": "levels", "levels": {"Age": 1}, "suppression_limit": 1.0}
    method = [rounding, levels]
    choose_protection(dataset=dataset, chosen_by=cast.steward, rules=RULES, method=method)
    dataset.refresh_from_db()
    run = factories.finish_run(start_run(dataset=dataset, started_by=cast.steward))
    rows = released_rows_of(run)
    assert rows.names == ["Age", "Town", "Pay"]
    assert open_case(run).released.rows == 600, "what is attacked is what was approved"
    factories.allow_small_groups(cast.team, cast.steward, most_left_out=1.0)
    terms = RequestTerms("teaching file", [], downloads_per_person=3)
    request = ask_for_review(run=run, asked_by=cast.steward, terms=terms)
    package = factories.pack(factories.approve(request, cast.approver))
    assert package.status == package.Status.FINISHED, "packing verifies what it packs"
    first, second, *_ = read_file(package, "release.csv").decode().splitlines()
    assert first == "Age;Town;Pay"
    assert second.count(";") == 2
    assert ",5" in read_file(package, "release.csv").decode()
    resource = json.loads(read_file(package, "datapackage.json"))["resources"][0]
    assert resource["dialect"]["delimiter"] == ";"
    assert resource["schema"]["fields"][2]["decimalChar"] == ","
