from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import DatasetColumn
from deid_portal.datasets.services import tag_columns
from deid_portal.engine import InvalidPlan
from deid_portal.taxonomies.models import ColumnTaxonomy
from deid_portal.taxonomies.typed_tree import parse_typed_tree, write_typed_tree
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


@pytest.fixture
def column(cast: Cast) -> DatasetColumn:
    return factories.make_tagged_dataset(cast.steward, cast.team).columns.get(name="Zip")


@pytest.fixture
def ages(cast: Cast, column: DatasetColumn) -> DatasetColumn:
    return column.dataset.columns.get(name="Age")


def _address(name: str, column: DatasetColumn, *more: str) -> str:
    return reverse(f"taxonomies:{name}", args=[column.dataset_id, column.position, *more])


def _taxonomy(column: DatasetColumn) -> ColumnTaxonomy:
    return ColumnTaxonomy.objects.get(column=column)


def test_masking_covers_every_value(cast: Cast, column: DatasetColumn, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    assert client.post(_address("build", column, "mask"), {"side": "right"}).status_code == 302
    assert _taxonomy(column).height == 5
    assert _taxonomy(column).is_complete
    page = client.get(_address("workbench", column)).content.decode()
    assert "130**" in page
    assert Event.objects.filter(action="taxonomy.changed").exists()


def test_intervals(cast: Cast, ages: DatasetColumn, signed_in: SignIn) -> None:
    form = {"start": "0", "width": "10", "widen": "2, 2"}
    signed_in(cast.steward).post(_address("build", ages, "intervals"), form)
    assert _taxonomy(ages).recipe == {"intervals": {"start": 0, "width": 10, "widen": [2, 2]}}
    assert _taxonomy(ages).height == 4


def test_a_typed_tree(cast: Cast, column: DatasetColumn, signed_in: SignIn) -> None:
    tree = "*\n  130\n    13053\n    13068\n  148\n    14850\n    14853\n"
    signed_in(cast.steward).post(_address("build", column, "tree"), {"tree": tree})
    assert _taxonomy(column).height == 2
    assert _taxonomy(column).is_complete


def test_an_uploaded_file(cast: Cast, column: DatasetColumn, signed_in: SignIn) -> None:
    content = b"13053;130;*\n13068;130;*\n14850;148;*\n14853;148;*\n"
    upload = SimpleUploadedFile("zip.csv", content)
    signed_in(cast.steward).post(_address("upload-file", column), {"file": upload})
    assert _taxonomy(column).is_complete
    export = signed_in(cast.steward).get(_address("export", column))
    assert sorted(export.content.splitlines()) == sorted(content.splitlines())


def test_a_file_that_misses_values_is_a_draft_that_lists_them(
    cast: Cast, column: DatasetColumn, signed_in: SignIn
) -> None:
    upload = SimpleUploadedFile("zip.csv", b"13053;130;*\n13068;130;*\n14850;148;*\n")
    client = signed_in(cast.steward)
    client.post(_address("upload-file", column), {"file": upload})
    assert _taxonomy(column).uncovered == 1
    page = client.get(_address("workbench", column))
    assert page.context["view"].uncovered == [("14853", 2)]
    protection = client.get(reverse("plans:protection", args=[column.dataset_id]))
    assert protection.status_code == 409
    assert "Zip" in protection.content.decode()
    assert "14853" not in protection.content.decode()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\xff\xfe1\x00", "UTF-8"),
        (b"13053;130;*\n13068;130\n", "row 2"),
        (b"13053;130;*\n13053;148;*\n", "rows 1 and 2"),
        (b"1;a;*\n2;b;*\n", "None of the 4 values"),
    ],
    ids=["empty", "not UTF-8", "ragged", "value twice", "fits nothing"],
)
def test_a_bad_file_keeps_what_was_there(
    content: bytes, words: str, cast: Cast, column: DatasetColumn, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    client.post(_address("build", column, "mask"), {"side": "right"})
    upload = SimpleUploadedFile("zip.csv", content or b" ")
    answer = client.post(_address("upload-file", column), {"file": upload})
    assert answer.status_code == 422
    problem = answer.context["problem"]
    assert words in problem or content == b""
    assert "13053" not in problem
    assert _taxonomy(column).kind == "mask"


def test_a_bad_form_is_refused_at_the_field(
    cast: Cast, ages: DatasetColumn, signed_in: SignIn
) -> None:
    form = {"start": "0", "width": "0", "widen": "two"}
    answer = signed_in(cast.steward).post(_address("build", ages, "intervals"), form)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "The width must be above 0." in page
    assert "Give whole numbers of 2 or more" in page


def test_a_reviewer_sees_no_values_and_builds_nothing(
    cast: Cast, column: DatasetColumn, signed_in: SignIn
) -> None:
    client = signed_in(cast.reviewer)
    assert "13053" not in client.get(_address("workbench", column)).content.decode()
    assert client.post(_address("build", column, "mask"), {"side": "left"}).status_code == 403


def test_a_column_that_is_no_quasi_identifier_has_no_workbench(
    cast: Cast, column: DatasetColumn, signed_in: SignIn
) -> None:
    name = column.dataset.columns.get(name="Name")
    assert signed_in(cast.steward).get(_address("workbench", name)).status_code == 404


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "first line"),
        ("*\n", "first line"),
        ("*\n  a\nb\n", "Line 3 starts a second tree"),
        ("*\n  a\n  a\n", "Line 3 repeats"),
    ],
)
def test_a_typed_tree_with_a_fault_names_the_line(text: str, words: str) -> None:
    with pytest.raises(InvalidPlan, match=words):
        parse_typed_tree(text)


def test_typed_trees_survive_the_round_trip() -> None:
    tree: dict[str, Any] = {"*": {"warm": {"red": {}, "orange": {}}, "cold": {"blue": {}}}}
    assert parse_typed_tree(write_typed_tree(tree)) == tree


def test_a_mask_of_long_texts_is_refused_with_a_sentence(cast: Cast, signed_in: SignIn) -> None:
    content = b"story,age\n" + b"".join(b"%080d,%d\n" % (row, row) for row in range(4))
    dataset = factories.make_dataset(cast.steward, cast.team, content)
    tag_columns(
        dataset=dataset,
        tagged_by=cast.steward,
        roles={0: "quasi-identifier", 1: "quasi-identifier"},
    )
    column = dataset.columns.get(position=0)
    client = signed_in(cast.steward)
    answer = client.post(_address("build", column, "mask"), {"side": "right"})
    assert answer.status_code == 422
    assert "would have 80 levels" in answer.context["problem"]
    assert client.get(_address("workbench", column)).status_code == 200


def test_a_number_beyond_all_bounds_does_not_break_the_page(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team, b"dose,age\n1e400,2\n1.5,3\n")
    tag_columns(dataset=dataset, tagged_by=cast.steward, roles={0: "quasi-identifier"})
    column = dataset.columns.get(position=0)
    assert signed_in(cast.steward).get(_address("workbench", column)).status_code == 200
