"""A statement is stored as the document it always was, and statements of before still open."""

from typing import Any

import pytest

from deid_portal.releases.models import Release, Statement
from deid_portal.releases.package_statement import release_statement_of
from deid_portal.releases.release_statement import ReleaseStatement
from tests.conftest import Cast
from tests.releases.packages import make_rich_release

ENTRIES = [
    "statement", "is_late", "dataset", "team", "release", "purpose", "released_at", "asked_by",
    "approvals", "policy", "publish_recipe", "gates", "waivers", "attacks", "output_sha256",
    "engine", "answers", "answers_sha256",
]  # fmt: skip


@pytest.fixture
def release(cast: Cast) -> Release:
    return make_rich_release(cast)


def test_the_document_has_the_entries_it_always_had(release: Release) -> None:
    document = Statement.objects.get(release=release).document
    assert list(document) == ENTRIES
    assert document["policy"] == {"version": 1}
    assert document["answers"] == document["attacks"] == document["waivers"] == []
    assert [list(gate) for gate in document["gates"]] == [["name", "asks", "has", "result"]] * len(
        document["gates"]
    )
    assert ReleaseStatement.from_document(document).to_document() == document


def test_a_statement_of_before_answers_were_handed_over_opens(release: Release) -> None:
    stored = Statement.objects.get(release=release)
    stored.document = without(stored.document, "answers", "answers_sha256")
    stored.save()
    stated = release_statement_of(release)
    assert (stated.answers, stated.answers_sha256) == ((), "")
    assert stated.gates_sentence.endswith("passed, 0 waived, 0 failed; no attack was made")
    assert stated.title == f"{stated.dataset}, release {release.number}"


def without(document: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: own for key, own in document.items() if key not in names}
