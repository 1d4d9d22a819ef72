"""Noisy answers in a package: what is handed over, that it verifies, that tampering is found."""

import csv
import io
import json

import pytest

from deid_portal.datasets.deletion import forget_dataset
from deid_portal.engine.verification.verification import verify_package
from deid_portal.querydesk.released_answers import write_answers_csv
from deid_portal.releases.models import Release
from deid_portal.releases.packages import open_package
from deid_portal.reviews.services import RequestTerms, ask_for_review
from tests import factories
from tests.conftest import Cast
from tests.releases.packages import Files, flip, forge, remake_sums, repack, unpack

ASKED = (
    {"query": "count"},
    {"query": "count-by-group", "column": "Condition"},
    {"query": "mean", "column": "Age"},
)


@pytest.fixture
def release(cast: Cast, without_pdf: None) -> Release:
    run = factories.make_finished_run(cast.steward, cast.team)
    desk = factories.make_desk(cast.steward, cast.team, run.dataset)
    answers = [
        factories.answer_question(factories.ask_about(desk, cast.steward, epsilon=0.5, **one))
        for one in ASKED
    ]
    factories.allow_small_groups(cast.team, cast.administrator)
    terms = RequestTerms("teaching file", answers=answers)
    request = ask_for_review(run=run, asked_by=cast.steward, terms=terms)
    return factories.approve(request, cast.approver)


def packed(release: Release) -> Files:
    release.packages.all().delete()
    with open_package(factories.pack(release)) as stream:
        return unpack(stream.read())


def test_the_package_holds_the_answers_and_verifies(release: Release) -> None:
    files = packed(release)
    answers = json.loads(files["answers.json"])
    assert [own["answer"]["query"] for own in answers] == [own["query"] for own in ASKED]
    lines = list(csv.DictReader(io.StringIO(files["answers.csv"].decode())))
    assert [line["number"] for line in lines] == ["1", "2", "2", "2", "3"]
    assert [line["what"] for line in lines[1:4]] == ["Cancer", "Diabetes", "Flu"]
    assert float(lines[0]["answer"]) == answers[0]["answer"]["value"]
    certificate = files["certificate.html"].decode()
    for words in ("Private answers handed over", "ε 1.50 in all", release.request.answers_sha256):
        assert words in certificate
    assert "answers.json, answers.csv" in files["README.txt"].decode()
    assert b"answers.csv" in files["SHA256SUMS"]
    done = verify_package(io.BytesIO(repack(files)))
    assert done.is_whole
    assert "answers.json, answers.csv" in {claim.name for claim in done.trusted}


def test_tampering_with_the_answers_is_found(release: Release) -> None:
    files = packed(release)
    for name in ("answers.json", "answers.csv"):
        changed = verify_package(io.BytesIO(repack({**files, name: flip(files[name])})))
        assert f"fingerprint of {name}" in {claim.name for claim in changed.failed}
    without = {name: own for name, own in files.items() if name != "answers.json"}
    assert not verify_package(io.BytesIO(repack(without))).is_whole
    other = remake_sums({**files, "answers.json": b"[]\n"})
    failed = {claim.name for claim in verify_package(io.BytesIO(repack(forge(other)))).failed}
    assert failed == {"fingerprints on the certificate"}


def test_what_was_handed_over_stays_when_the_table_is_forgotten(release: Release) -> None:
    first = packed(release)
    forget_dataset(release.request.run.dataset, None)
    assert packed(Release.objects.get(id=release.id)) == first


def test_a_spreadsheet_runs_nothing_of_it(release: Release) -> None:
    (document, *_) = release.statement.document["answers"]
    text = write_answers_csv([{**document, "question": "=1+1"}])
    assert ",'=1+1," in text
