"""The page that says what the new file changed, and what of the decisions does not fit it."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from deid_portal.accounts.models import User
from deid_portal.datasets.deletion import forget_dataset
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.services import tag_columns
from deid_portal.plans.services import choose_protection
from deid_portal.taxonomies.models import TaxonomyKind
from deid_portal.taxonomies.services import set_taxonomy
from deid_portal.versions.comparison import ColumnChange, Drift
from deid_portal.versions.selectors import drift_of, what_does_not_fit
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
AUGUST = factories.PATIENTS.read_bytes()
FILE = "13053;130;*\n13068;130;*\n14850;148;*\n14853;148;*\n"
RULES = [
    {"model": "k-anonymity", "k": 2},
    {"model": "l-diversity", "variant": "distinct", "l": 2, "column": "Condition"},
]


@pytest.fixture
def planned(cast: Cast) -> Dataset:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    set_taxonomy(
        column=dataset.columns.get(name="Zip"),
        changed_by=cast.steward,
        kind=TaxonomyKind.FILE,
        recipe={"file": "taxonomy.csv"},
        file_text=FILE,
    )
    choose_protection(dataset=dataset, chosen_by=cast.steward, rules=RULES, method=factories.METHOD)
    return dataset


def september(*, without: str = "", **replaced: str) -> bytes:
    """August without a column, or with other cells in every row of some."""
    header, *rows = [line.split(",") for line in AUGUST.decode().splitlines()]
    kept = [place for place, name in enumerate(header) if name != without]
    lines = [[header[place] for place in kept] + [n for n in replaced if n not in header]]
    for row in rows:
        cells = [replaced.get(header[place], row[place]) for place in kept]
        lines.append(cells + [cell for name, cell in replaced.items() if name not in header])
    return "\n".join(",".join(line) for line in lines).encode()


def open_page(client: Client, dataset: Dataset) -> str:
    answer = client.get(reverse("versions:drift", args=[dataset.id]))
    assert answer.status_code == 200
    return answer.content.decode()


def change_of(dataset: Dataset, name: str) -> ColumnChange:
    drift = drift_of(dataset)
    assert drift is not None
    return next(change for change in drift.columns if change.name == name)


def test_new_gone_and_retyped_columns_are_told_apart(cast: Cast, planned: Dataset) -> None:
    content = september(without="Name", Ward="North", Age="forty")
    version = factories.make_next_version(planned, cast.steward, content)
    assert change_of(version, "Ward").is_new
    gone = change_of(version, "Name")
    assert (gone.is_gone, gone.role_before, gone.distinct_before) == (True, "identifier", 12)
    age = change_of(version, "Age")
    assert (age.is_retyped, age.type_before, age.type_after) == (True, "integer", "text")
    assert age.distance is None


def test_figures_of_a_column_that_stayed(cast: Cast, planned: Dataset) -> None:
    """All twelve have the flu now; before, three of twelve had it."""
    version = factories.make_next_version(planned, cast.steward, september(Condition="Flu"))
    condition = change_of(version, "Condition")
    assert condition.distance == pytest.approx(9 / 12)
    assert (condition.distinct_before, condition.distinct_after) == (3, 1)
    assert (condition.new_values, condition.gone_values) == (0, 2)
    assert condition.bars[0] == ("Flu", 3, 12)
    drift = drift_of(version)
    assert drift is not None
    assert (drift.version_before, drift.rows_before, drift.rows_after) == (1, 12, 12)


def test_rows_of_the_same_people_are_compared_in_their_places(
    cast: Cast, planned: Dataset, signed_in: SignIn
) -> None:
    """Names agree in all places, so three cells with another condition are no chance."""
    content = AUGUST.replace(b"Cancer", b"Asthma")
    version = factories.make_next_version(planned, cast.steward, content)
    moved = AUGUST.count(b"Cancer")
    condition, age = change_of(version, "Condition"), change_of(version, "Age")
    assert (condition.moved, condition.verdict) == (moved, "shifted")
    assert (age.moved, age.verdict) == (0, "same")
    page = open_page(signed_in(cast.steward), version)
    assert f"{moved} rows hold another value" in page
    assert f"1 new value in {moved}" in page
    assert "too few rows to see a change for sure" in page


def test_the_same_file_fits_and_the_plan_can_be_run(
    cast: Cast, planned: Dataset, signed_in: SignIn
) -> None:
    version = factories.make_next_version(planned, cast.steward, AUGUST)
    client = signed_in(cast.steward)
    page = open_page(client, version)
    assert "No column changed" in page
    assert "Run the plan on this version" in page
    assert what_does_not_fit(version, thorough=True) == []
    answer = client.post(reverse("runs:start", args=[version.id]))
    assert answer.status_code == 302
    assert version.runs.count() == 1


def test_values_without_a_place_are_counted_and_listed_to_stewards(
    cast: Cast, planned: Dataset, signed_in: SignIn
) -> None:
    content = AUGUST.replace(b"13068", b"99999").replace(b"14850", b"88888")
    version = factories.make_next_version(planned, cast.steward, content)
    page = open_page(signed_in(cast.steward), version)
    assert "2 values have no place in the tree" in page
    assert "2 values in 6 rows" in page
    assert "99999" in page
    column = version.columns.get(name="Zip")
    assert reverse("taxonomies:workbench", args=[version.id, column.position]) in page


def test_others_see_counts_and_never_a_value(
    cast: Cast, planned: Dataset, signed_in: SignIn
) -> None:
    content = AUGUST.replace(b"13068", b"99999").replace(b"Cancer", b"Asthma")
    version = factories.make_next_version(planned, cast.steward, content)
    page = open_page(signed_in(cast.approver), version)
    assert "1 value has no place in the tree" in page
    assert "1 value in 4 rows" not in page
    assert "Stewards see which and how many." in page
    told_to_stewards = ("of the rows</span>", "too few rows to see", "hold another value")
    for told in ("Distribution</th>", "Different values</th>", "spark", *told_to_stewards):
        assert told not in page
    for value in ("99999", "13068", "Asthma", "Cancer", "Jennifer"):
        assert value not in page
    assert "Place values" not in page
    assert (
        signed_in(cast.outsider).get(reverse("versions:drift", args=[version.id])).status_code
        == 404
    )


@pytest.mark.parametrize(
    ("content", "title", "words", "address"),
    [
        (september(Ward="North"), "1 column has no role", "Ward", "datasets:columns"),
        (september(Age="forty"), "1 column has no role", "Age", "datasets:columns"),
        (september(Zip="77777"), "1 value has no place", "Zip", "taxonomies:workbench"),
        (
            september(without="Condition"),
            "The plan does not fit",
            "The rule l-diversity is about Condition, which this file does not have.",
            "plans:protection",
        ),
    ],
    ids=["new column", "other type", "new value", "sensitive column gone"],
)
def test_what_does_not_fit_is_said_with_the_way_to_mend_it(
    content: bytes, title: str, words: str, address: str, cast: Cast, planned: Dataset
) -> None:
    version = factories.make_next_version(planned, cast.steward, content)
    (misfit,) = what_does_not_fit(version)
    assert misfit.title.startswith(title)
    assert words in misfit.text
    where = [version.id]
    if misfit.column is not None:
        where.append(misfit.column.position)
    assert misfit.url == reverse(address, args=where)


def test_a_rule_about_a_column_that_is_not_sensitive_here(cast: Cast, planned: Dataset) -> None:
    version = factories.make_next_version(planned, cast.steward, AUGUST)
    column = version.columns.get(name="Condition")
    roles = {column.position: "insensitive"}
    tag_columns(dataset=version, tagged_by=cast.steward, roles=roles)
    (misfit,) = what_does_not_fit(version)
    assert misfit.text == "The rule l-diversity is about Condition, which is not sensitive here."


def test_a_method_that_needs_a_column_that_is_gone(cast: Cast, planned: Dataset) -> None:
    levels = {"name": "levels", "levels": {"Zip": 1, "Age": 1}, "suppression_limit": 1.0}
    choose_protection(dataset=planned, chosen_by=cast.steward, rules=RULES[:1], method=levels)
    version = factories.make_next_version(planned, cast.steward, september(without="Age"))
    texts = [misfit.text for misfit in what_does_not_fit(version)]
    assert texts == ["The method levels needs Age, which this file does not have."]


def test_a_thorough_look_has_the_engine_judge_the_plan(cast: Cast, planned: Dataset) -> None:
    """With one row left, nobody can hide among two."""
    header, row, *_ = AUGUST.splitlines()
    version = factories.make_next_version(planned, cast.steward, b"\n".join([header, row]))
    assert what_does_not_fit(version) == []
    (misfit,) = what_does_not_fit(version, thorough=True)
    assert misfit.title == "The plan does not fit"
    assert "k" in misfit.text


def test_a_first_version_has_nothing_to_compare(
    cast: Cast, planned: Dataset, signed_in: SignIn
) -> None:
    assert "This is the first version" in open_page(signed_in(cast.steward), planned)


def test_before_it_is_read_there_is_nothing_to_see(
    cast: Cast, planned: Dataset, signed_in: SignIn
) -> None:
    version = factories.make_next_upload(planned, cast.steward, AUGUST)
    answer = signed_in(cast.steward).get(reverse("versions:drift", args=[version.id]))
    assert answer.status_code == 409


def test_the_columns_page_says_what_was_carried_over(
    cast: Cast, planned: Dataset, signed_in: SignIn
) -> None:
    version = factories.make_next_version(planned, cast.steward, september(Ward="North"))
    for person in (cast.steward, cast.reviewer):
        page = signed_in(person).get(reverse("datasets:columns", args=[version.id]))
        assert page.content.decode().count("carried over from v1 </span>") == 5


def test_home_says_what_waits_and_whose_turn_it_is(
    cast: Cast, planned: Dataset, signed_in: SignIn
) -> None:
    content = AUGUST.replace(b"13068", b"99999")
    version = factories.make_next_version(planned, cast.steward, content)
    for person in (cast.steward, cast.teammate):
        home = signed_in(person).get("/")
        assert home.context["title"] == "One thing is waiting for you"
        (line,) = home.context["waiting"]
        assert line.title == "Patients, v2 — 1 value has no place in the tree"
        assert "taxonomy of Zip does not cover. Runs are blocked" in line.text
        assert (line.act, line.url) == ("Place values", what_does_not_fit(version)[0].url)
        assert [one.turn for one in home.context["lines"]] == ["you"]
    for person in (cast.approver, cast.analyst):
        assert signed_in(person).get("/").context["waiting"] == []


def test_several_misfits_are_one_line_that_leads_to_the_page(
    cast: Cast, planned: Dataset, signed_in: SignIn
) -> None:
    content = september(without="Condition", Ward="North")
    version = factories.make_next_version(planned, cast.steward, content)
    (line,) = signed_in(cast.steward).get("/").context["waiting"]
    assert line.text.endswith("1 more thing does not fit either.")
    assert line.url == reverse("versions:drift", args=[version.id])


def test_what_waits_stands_in_order_and_leaves_when_it_is_done(
    cast: Cast, planned: Dataset, signed_in: SignIn
) -> None:
    request = factories.ask_for(planned, cast.steward)
    request.status = "changes-requested"
    request.save()
    yesterday = request.asked_at - timedelta(days=1)
    type(request).objects.update(asked_at=yesterday, changed_at=yesterday)
    version = factories.make_next_version(planned, cast.steward, september(Ward="North"))
    client = signed_in(cast.steward)
    assert [line.act for line in client.get("/").context["waiting"]] == ["Answer", "Tag columns"]
    column = version.columns.get(name="Ward")
    roles = {column.position: "insensitive"}
    tag_columns(dataset=version, tagged_by=cast.steward, roles=roles)
    assert [line.act for line in client.get("/").context["waiting"]] == ["Answer"]


def test_waiting_costs_few_queries(
    cast: Cast,
    planned: Dataset,
    signed_in: SignIn,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    factories.make_next_version(planned, cast.steward, september(Ward="North"))
    client = signed_in(cast.steward)
    with django_assert_max_num_queries(31):
        client.get("/")


@pytest.mark.parametrize("forgotten", ["before", "after"])
def test_a_forgotten_table_leaves_no_value_in_the_comparison(
    forgotten: str, cast: Cast, planned: Dataset, signed_in: SignIn
) -> None:
    version = factories.make_next_version(planned, cast.steward, AUGUST)
    assert any(change.bars for change in _drift(version).columns)
    forget_dataset(planned if forgotten == "before" else version, cast.steward)
    version.refresh_from_db()
    drift = _drift(version)
    assert not any(change.bars for change in drift.columns)
    assert drift.columns[4].distance == 0
    assert "No column changed" in open_page(signed_in(cast.steward), version)


def _drift(dataset: Dataset) -> Drift:
    drift = drift_of(dataset)
    assert drift is not None
    return drift


def test_after_a_forgotten_version_names_and_counts_are_compared(
    cast: Cast, planned: Dataset, signed_in: SignIn
) -> None:
    forget_dataset(planned, cast.steward)
    version = factories.make_next_version(planned, cast.steward, september(Ward="North"))
    assert change_of(version, "Ward").is_new
    assert change_of(version, "Zip").distinct_before == 4
    assert change_of(version, "Zip").verdict == "not compared"
    assert "only names, types and counts" in open_page(signed_in(cast.steward), version)
