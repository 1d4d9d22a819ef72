"""What leaves beside a release is kept as the document it always was, and opens as an object."""

import json
from typing import Any

import pytest

from deid_portal.engine import protect
from deid_portal.engine.publication import Publication
from deid_portal.engine.report.detail import NO_DETAIL, ColumnDetail, PublishedDetail
from tests.chance import known_secret
from tests.engine.methods.test_every_method import people, plan_for

PLAN: dict[str, Any] = {"plan": 1, "columns": {}, "method": {"name": "none"}}


def test_the_document_is_the_one_of_before() -> None:
    plan = plan_for({"name": "full-domain", "suppression_limit": 0.3})
    outcome = protect(people(30), plan, secret=known_secret())
    assert outcome.released is not None
    publication = Publication.of(plan, outcome.released, outcome.full_report)
    document = json.loads(json.dumps(publication.to_document()))
    assert list(document) == ["plan", "files", "detail"]
    assert list(document["detail"]) == ["columns", "utility"]
    for own in document["detail"]["columns"].values():
        assert list(own) == ["level", "height", "level_name", "loss"]
    assert Publication.from_document(document) == publication


@pytest.mark.parametrize("detail", [{}, {"detail": {}}])
def test_what_knows_no_detail_opens(detail: dict[str, Any]) -> None:
    publication = Publication.from_document({"plan": PLAN, "files": {}, **detail})
    assert publication.detail == NO_DETAIL
    assert publication.to_document() == {"plan": PLAN, "files": {}, "detail": {}}


def test_a_column_that_says_little_of_its_detail_opens() -> None:
    detail = PublishedDetail.from_document({"columns": {"age": {"level": 2}}, "utility": {}})
    assert detail.columns == {"age": ColumnDetail(level=2)}


def test_files_of_before_that_say_too_much_stay_behind() -> None:
    files = {"taxonomies/age.csv": "1,*\n", "taxonomies/age.json": "{}"}
    publication = Publication.from_document({"plan": PLAN, "files": files})
    assert publication.files == {"taxonomies/age.csv": "1,*\n"}
    assert publication.read_file("taxonomies/age.csv") == b"1,*\n"
