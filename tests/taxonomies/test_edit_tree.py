"""The tree in the workbench: changed by plain forms, undone, redone, kept as versions."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import DatasetColumn
from deid_portal.engine.taxonomies import Outline
from deid_portal.taxonomies.models import ColumnTaxonomy
from deid_portal.taxonomies.services import set_taxonomy_from_file
from deid_portal.taxonomies.visible_rows import CHILDREN_SHOWN, WINDOW, draw_tree
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
ZIPS = b"13053;130;*\n13068;130;*\n14850;148;*\n"


@pytest.fixture
def column(cast: Cast) -> DatasetColumn:
    column = factories.make_tagged_dataset(cast.steward, cast.team).columns.get(name="Zip")
    set_taxonomy_from_file(column=column, changed_by=cast.steward, content=ZIPS)
    return column


@pytest.fixture
def client(cast: Cast, signed_in: SignIn) -> Client:
    return signed_in(cast.steward)


def address(name: str, column: DatasetColumn, *more: Any) -> str:
    return reverse(f"taxonomies:{name}", args=[column.dataset_id, column.position, *more])


def taxonomy(column: DatasetColumn) -> ColumnTaxonomy:
    return ColumnTaxonomy.objects.get(column=column)


def rows(column: DatasetColumn) -> list[str]:
    return sorted((taxonomy(column).file_text or "").splitlines())


def node(column: DatasetColumn, label: str) -> int:
    version = taxonomy(column).version
    assert version is not None
    outline = Outline.from_document(version.outline)
    return next(b.number for b in outline.branches.values() if b.label == label)


def edit(client: Client, column: DatasetColumn, do: str, **fields: Any) -> Any:
    return client.post(address("edit", column), {"do": do, **fields})


def test_unplaced_values_are_put_under_a_group(client: Client, column: DatasetColumn) -> None:
    assert taxonomy(column).uncovered == 1
    group = node(column, "148")
    answer = edit(client, column, "place", value=["14853"], place_under=group)
    assert answer.status_code == 302
    assert taxonomy(column).is_complete
    assert "14853;148;*" in rows(column)
    page = client.get(address("workbench", column)).content.decode()
    assert "All 4 values placed" in page


def test_all_unplaced_values_at_once(client: Client, column: DatasetColumn) -> None:
    edit(client, column, "place", every_value="1", place_under=0)
    assert "14853;14853;*" in rows(column)


def test_groups_are_added_renamed_moved_merged_and_dissolved(
    client: Client, column: DatasetColumn
) -> None:
    edit(client, column, "rename", node=node(column, "130"), name="East")
    edit(client, column, "add", node=[node(column, "13053")], name="Far east")
    assert rows(column) == [
        "13053;Far east;East;*",
        "13068;13068;East;*",
        "14850;14850;148;*",
    ]
    edit(client, column, "move", node=[node(column, "14850")], under=node(column, "Far east"))
    edit(client, column, "merge", node=[node(column, "Far east")], under=node(column, "East"))
    edit(client, column, "dissolve", at=node(column, "148"))
    assert rows(column) == ["13053;East;*", "13068;East;*", "14850;East;*"]


def test_the_answer_to_a_change_shows_the_changed_tree(
    client: Client, column: DatasetColumn
) -> None:
    group = node(column, "130")
    for name in ("East", "Eastern"):
        fields = {"do": "rename", "at": group, "name": name}
        answer = client.post(address("edit", column), fields, headers={"HX-Request": "true"})
        assert answer.status_code == 200
        assert answer.context["tree"].at == group
        labels = [row.branch.label for row in answer.context["drawing"].rows]
        assert name in labels


def test_every_change_can_be_undone_and_redone(client: Client, column: DatasetColumn) -> None:
    before = rows(column)
    group = node(column, "130")
    edit(client, column, "rename", node=group, name="East")
    edit(client, column, "rename", node=group, name="Eastern")
    after = rows(column)
    assert edit(client, column, "undo").status_code == 302
    edit(client, column, "undo")
    assert rows(column) == before
    assert edit(client, column, "undo").status_code == 422
    edit(client, column, "redo")
    edit(client, column, "redo")
    assert rows(column) == after
    edit(client, column, "undo")
    edit(client, column, "rename", node=group, name="Other")
    assert edit(client, column, "redo").status_code == 422


def test_versions_are_kept_and_can_be_used_again(client: Client, column: DatasetColumn) -> None:
    built = rows(column)
    edit(client, column, "rename", node=node(column, "130"), name="East")
    edit(client, column, "rename", node=node(column, "148"), name="West")
    client.post(address("build", column, "mask"), {"side": "right"})
    versions = list(column.taxonomy_versions.values_list("number", "words", "step_count"))
    assert versions == [
        (3, "Masking", 0),
        (2, "Edited by hand, from version 1", 2),
        (1, "From a file", 0),
    ]
    assert client.post(address("restore", column, 1)).status_code == 302
    assert rows(column) == built
    assert taxonomy(column).uncovered == 1
    assert column.taxonomy_versions.count() == 4
    assert client.post(address("restore", column, 99)).status_code == 404


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"do": "rename", "name": "x"}, "Choose the one group"),
        ({"do": "move", "node": ["1"]}, "Choose the group it belongs to"),
        ({"do": "move", "node": ["99"], "under": "0"}, "changed meanwhile"),
        ({"do": "add", "name": " "}, "Give the group a name"),
        ({"do": "place", "place_under": "0"}, "Choose one or more values"),
        ({"do": "place", "value": ["13053"], "place_under": "0"}, "has a place meanwhile"),
    ],
)
def test_what_cannot_be_done_is_a_sentence_and_changes_nothing(
    fields: dict[str, Any], words: str, client: Client, column: DatasetColumn
) -> None:
    before = rows(column)
    answer = client.post(address("edit", column), fields)
    assert answer.status_code == 422
    assert words in answer.context["tree"].problem
    assert "13053" not in answer.context["tree"].problem
    assert rows(column) == before
    assert column.taxonomy_versions.count() == 1


def test_a_tree_built_by_intervals_is_reopened_and_edited(
    client: Client, column: DatasetColumn
) -> None:
    ages = column.dataset.columns.get(name="Age")
    client.post(address("build", ages, "intervals"), {"start": "0", "width": "10", "widen": "2"})
    page = client.get(address("workbench", ages))
    group = page.context["drawing"].rows[1].branch
    edit(client, ages, "rename", node=group.number, name="The young")
    assert any(";The young;" in row for row in rows(ages))
    assert taxonomy(ages).is_complete


def test_exported_trees_are_read_back_the_same(client: Client, column: DatasetColumn) -> None:
    edit(client, column, "add", name="Nothing yet")
    edit(client, column, "rename", node=node(column, "130"), name="East; far")
    as_csv = client.get(address("export", column)).content
    as_json = client.get(address("export", column) + "?form=json").content
    assert "Nothing yet" in json.dumps(json.loads(as_json))
    for name, content in (("t.csv", as_csv), ("t.json", as_json)):
        client.post(address("build", column, "flat"))
        upload = SimpleUploadedFile(name, content)
        assert client.post(address("upload-file", column), {"file": upload}).status_code == 302
        assert client.get(address("export", column)).content == as_csv
    assert client.get(address("export", column) + "?form=json").content == as_json


def test_a_change_is_in_the_audit_without_any_value(client: Client, column: DatasetColumn) -> None:
    edit(client, column, "place", value=["14853"], place_under=0)
    event = Event.objects.get(action="taxonomy.edited")
    assert "14853" not in json.dumps(event.facts)


def test_only_stewards_edit(cast: Cast, column: DatasetColumn, signed_in: SignIn) -> None:
    reviewer = signed_in(cast.reviewer)
    assert edit(reviewer, column, "undo").status_code == 403
    assert reviewer.post(address("restore", column, 1)).status_code == 403
    assert edit(signed_in(cast.outsider), column, "undo").status_code == 404
    page = reviewer.get(address("workbench", column)).content.decode()
    assert "13053" not in page


def test_two_people_building_get_two_versions(cast: Cast, column: DatasetColumn) -> None:
    for person in (cast.steward, cast.teammate):
        set_taxonomy_from_file(column=column, changed_by=person, content=ZIPS)
    numbers = list(column.taxonomy_versions.values_list("number", flat=True))
    assert numbers == [3, 2, 1]


# Drawing


def large() -> Outline:
    return Outline.from_paths(
        [(f"v{n:04}", f"g{n // 500}", "*") for n in range(2000)],
        {f"v{n:04}": 1 for n in range(2000)},
    )


def test_of_a_large_tree_only_the_groups_are_drawn() -> None:
    drawing = draw_tree(large(), {}, is_ordered=False)
    assert [row.branch.label for row in drawing.rows] == ["*", "g0", "g1", "g2", "g3"]


def test_children_come_a_page_at_a_time() -> None:
    outline = large()
    group = next(b.number for b in outline.branches.values() if b.label == "g1")
    opened = draw_tree(outline, {"toggle": str(group)}, is_ordered=False)
    assert len(opened.rows) == 5 + CHILDREN_SHOWN + 1
    assert opened.rows[2 + 1 + CHILDREN_SHOWN].left_out == 400
    more = draw_tree(outline, {"open": opened.open, "toggle": f"more-{group}"}, is_ordered=False)
    assert len(more.rows) == 5 + 2 * CHILDREN_SHOWN + 1
    closed = draw_tree(outline, {"open": more.open, "toggle": str(group)}, is_ordered=False)
    assert len(closed.rows) == 5


def test_of_very_many_open_rows_a_window_is_drawn() -> None:
    outline = large()
    every = ".".join(f"{branch.number}x2000" for branch in outline.groups())
    first = draw_tree(outline, {"open": every}, is_ordered=True)
    assert (len(first.rows), first.before, first.after) == (WINDOW, 0, 2005 - WINDOW)
    second = draw_tree(outline, {"open": every, "from": str(first.later)}, is_ordered=True)
    assert (second.before, second.rows[0].branch.label) == (WINDOW, f"v{WINDOW - 2:04}")
    last = draw_tree(outline, {"open": every, "from": "99999"}, is_ordered=True)
    assert last.after == 0
    node = next(b.number for b in outline.branches.values() if b.label == "v1500")
    around = draw_tree(outline, {"open": every, "reveal": str(node)}, is_ordered=True)
    assert node in [row.branch.number for row in around.rows]


def test_finding_opens_the_way() -> None:
    drawing = draw_tree(large(), {"find": "V1234"}, is_ordered=False)
    assert [row.branch.label for row in drawing.rows] == ["*", "g2", "v1234"]
    assert draw_tree(large(), {"find": "nowhere"}, is_ordered=False).found == 0


@pytest.mark.parametrize("asked", ["x", "1x", "9999x9", "0x-1", "..", "0x100x7", "²x²"])
def test_a_strange_address_opens_nothing_that_is_not_there(asked: str) -> None:
    assert draw_tree(large(), {"open": asked, "toggle": asked}, is_ordered=True).rows
