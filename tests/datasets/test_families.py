"""Two hundred columns in a few rows: families, filters and pages of the tagging table."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.datasets.column_list import (
    ColumnView,
    list_columns,
    read_positions,
    write_positions,
)
from deid_portal.datasets.families import find_families
from deid_portal.datasets.models import Dataset, DatasetColumn
from deid_portal.datasets.services import tag_columns
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
PART = {"HX-Request": "true"}


def column(
    position: int, name: str, type: str = "integer", role: str = "quasi-identifier"
) -> DatasetColumn:
    return DatasetColumn(
        position=position,
        name=name,
        type=type,
        distinct=5,
        suggestion={"role": role, "danger": "some", "reason": "Known."},
    )


def named(*names: str) -> list[DatasetColumn]:
    return [column(place, name) for place, name in enumerate(names)]


def folded(columns: list[DatasetColumn]) -> list[list[str]]:
    return [[one.name for one in family.columns] for family in find_families(columns, 100)]


def test_columns_that_differ_in_one_number_fold() -> None:
    names = ["contact_1_age", "contact_2_age", "contact_10_age", "sex", "contact_1_sex"]
    assert folded(named(*names)) == [names[:3]]


def test_questions_fold_by_their_letters_and_not_across() -> None:
    names = [f"q{number}_{letter}" for number in (31, 32) for letter in "abcd"]
    assert folded(named(*names)) == [names[:4], names[4:]]


def test_two_columns_are_no_family_and_numbers_alone_are_no_name() -> None:
    assert folded(named("visit_1", "visit_2")) == []
    assert folded(named("1", "2", "3")) == []


@pytest.mark.parametrize("other", [{"type": "date"}, {"role": "sensitive"}])
def test_only_columns_of_one_type_and_one_suggestion_fold(other: dict[str, str]) -> None:
    columns = [*named("x1", "x2", "x3"), column(3, "x4", **other)]
    assert folded(columns) == [["x1", "x2", "x3"]]


def test_places_are_written_shortly_and_read_back() -> None:
    places = frozenset({1, 2, 3, 7, 9, 10})
    assert write_positions(places) == "1-3.7.9-10"
    assert read_positions("1-3.7.9-10") == places
    assert read_positions("x.-1..5-") == frozenset()


@pytest.mark.parametrize(
    ("find", "expected"),
    [
        ("CONTACT_", ["contact_1_age", "contact_2_age"]),
        ("type:date", ["born"]),
        ("type:whole age", ["contact_1_age", "contact_2_age"]),
        ("danger:high", ["born", "mail"]),
        ("role:open type:text", ["mail"]),
        ("role:harmless", ["contact_2_age"]),
        ("missing>10", ["born"]),
        ("missing>10 age", []),
        ("danger:", ["born", "contact_1_age", "contact_2_age", "mail"]),
    ],
)
def test_the_filter_understands(find: str, expected: list[str]) -> None:
    columns = [
        column(0, "contact_1_age"),
        column(1, "contact_2_age"),
        column(2, "born", "date"),
        column(3, "mail", "text", "identifier"),
    ]
    columns[1].role = "insensitive"
    columns[2].missing = 11
    columns[2].suggestion["danger"] = "high"
    columns[3].suggestion["danger"] = "very high"
    lines = list_columns(columns, 100, ColumnView(show="all", find=find)).lines
    assert sorted(str(line) for line in lines) == expected


def _wide(cast: Cast) -> Dataset:
    """Sixty answers, twenty columns of their own, and one person."""
    other = [f"{chr(97 + number)}{chr(122 - number)}" for number in range(20)]
    names = ["person_id", *(f"answer_{number}" for number in range(60)), *other]
    rows = [[str(row), *(str((row * number) % 7) for number in range(1, 81))] for row in range(40)]
    content = "\n".join(",".join(row) for row in [names, *rows]).encode()
    return factories.make_dataset(cast.steward, cast.team, content)


@pytest.fixture
def wide(cast: Cast) -> Dataset:
    return _wide(cast)


def _columns(dataset: Dataset) -> str:
    return reverse("datasets:columns", args=[dataset.id])


def test_a_wide_table_begins_with_what_is_to_decide_in_few_rows(
    wide: Dataset, cast: Cast, signed_in: SignIn
) -> None:
    page = signed_in(cast.steward).get(_columns(wide))
    assert page.context["view"].show == "open"
    assert len(page.context["rows"]) < 30
    text = page.content.decode()
    assert "0 of 81 columns decided; 81 to go" in text
    assert text.count('class="tick tick-') == 81 + 3  # and the key
    assert "panel-closed" in text


def test_a_family_is_tagged_and_undone_as_one(wide: Dataset, cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    data = {"role": "sensitive", "position": "1-60", "view": "show=open&find=answer"}
    answer = client.post(reverse("datasets:tag-many", args=[wide.id]), data)
    assert answer["Location"] == f"{_columns(wide)}?show=open&find=answer&kept=1-60"
    assert wide.columns.filter(role="sensitive").count() == 60
    page = client.get(answer["Location"])  # what was just decided stays in view
    assert sum(row.family.columns.__len__() for row in page.context["rows"]) == 60
    client.post(reverse("datasets:undo", args=[wide.id]))
    assert wide.columns.filter(role="sensitive").count() == 0


def test_an_exception_in_an_open_family_tells_the_family_row(
    wide: Dataset, cast: Cast, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    family = next(r for r in client.get(_columns(wide)).context["rows"] if r.is_family).family
    member = family.columns[1]
    answer = client.post(
        reverse("datasets:tag", args=[wide.id, member.position]),
        {"role": "insensitive", "view": f"show=open&open={family.key}"},
        headers=PART,
    )
    text = answer.content.decode()
    assert f'id="family-{family.key}"' in text
    assert f"{len(family.columns) - 1} open, 1 harmless" in text


def test_long_lists_come_in_pages(wide: Dataset, cast: Cast, signed_in: SignIn) -> None:
    for place, one in enumerate(wide.columns.all()):
        one.name = f"{'abcdefghij'[place % 10]}{'klmnopqrst'[place // 10]}"
        one.save(update_fields=["name"])
    client = signed_in(cast.steward)
    first = client.get(_columns(wide))
    assert len(first.context["rows"]) == 50
    assert "page 1 of 2" in first.content.decode()
    assert len(client.get(f"{_columns(wide)}?page=2").context["rows"]) == 31
    assert len(client.get(f"{_columns(wide)}?page=99").context["rows"]) == 31


def test_a_reviewer_sees_families_without_values_or_controls(
    wide: Dataset, cast: Cast, signed_in: SignIn
) -> None:
    text = signed_in(cast.reviewer).get(_columns(wide)).content.decode()
    assert "whole numbers" in text
    assert "scales" not in text
    assert "<form" not in text.split('id="columns-list"')[1].split("</section>")[0]


def test_what_a_colleague_decided_meanwhile_is_said(
    wide: Dataset, cast: Cast, signed_in: SignIn
) -> None:
    tag_columns(dataset=wide, tagged_by=cast.teammate, roles={0: "sensitive"})
    address = reverse("datasets:tag", args=[wide.id, 0])
    client = signed_in(cast.steward)
    answer = client.post(address, {"role": "identifier", "was": ""}, headers=PART)
    assert "Teammate had made it sensitive meanwhile." in answer.content.decode()
    assert wide.columns.get(position=0).role == "identifier"
    client.post(reverse("datasets:undo", args=[wide.id]))
    assert wide.columns.get(position=0).role == "sensitive"
    seen = client.post(address, {"role": "identifier", "was": "sensitive"}, headers=PART)
    assert "meanwhile" not in seen.content.decode()
