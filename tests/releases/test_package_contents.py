"""What a package holds, that it is always the same, and what it must not tell."""

import csv
import io
import json
import zipfile
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import frictionless
import pytest
from django.conf import settings as portal_settings
from django.core.management import call_command
from django.utils import timezone
from pytest_django import Settings

from deid_portal.audit.models import Event
from deid_portal.datasets.deletion import forget_dataset
from deid_portal.engine import Table
from deid_portal.engine.files.csv.writer import neutralize, write_csv
from deid_portal.engine.files.file_format import FileKind
from deid_portal.engine.files.writer import write_table
from deid_portal.engine.verification.signatures import fingerprint_of
from deid_portal.engine.verification.tables import read_release
from deid_portal.releases import package_contents
from deid_portal.releases.models import Package, Release, SigningKey, Statement
from deid_portal.releases.package_certificate import Certificate, write_certificate
from deid_portal.releases.package_pdf import MISSING, write_pdf
from deid_portal.releases.package_signatures import current_signer, rotate_signing_key
from deid_portal.releases.package_statement import release_statement_of
from deid_portal.releases.packages import open_package, read_file
from deid_portal.releases.subjects import PackedSubject
from deid_portal.reviews.services import (
    RequestTerms,
    agree_to_waiver,
    ask_for_review,
    ask_for_waiver,
)
from deid_portal.vault import vault
from deid_portal.vault.signing_key import STORED_AS
from tests import factories
from tests.conftest import Cast
from tests.releases.packages import make_rich_release, unpack

FORMATS = ("csv", "parquet", "xlsx", "sav")


@pytest.fixture
def release(cast: Cast) -> Release:
    return make_rich_release(cast)


def bytes_of(package: Package) -> bytes:
    with open_package(package) as stream:
        return stream.read()


def pack_anew(release: Release, form: str) -> bytes:
    """Pack once more from nothing, as if there had been no package."""
    release.packages.filter(format=form).delete()
    return bytes_of(factories.pack(release, form))


def test_a_package_has_been_verified_when_it_is_offered(
    release: Release, without_pdf: None
) -> None:
    package = factories.pack(release)
    assert package.verified["is_whole"]
    assert package.verified["summary"].startswith("signature ok · 8 hashes ok · k 4 · l 3")


@pytest.mark.parametrize("form", ["csv", "xlsx", "sav"])
def test_the_same_release_always_gives_the_same_bytes(
    form: str, release: Release, without_pdf: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = bytes_of(factories.pack(release, form))
    later = timezone.now() + timedelta(days=400)
    monkeypatch.setattr(timezone, "now", lambda: later)
    monkeypatch.setattr("time.time", later.timestamp)
    assert pack_anew(release, form) == first


def test_the_pdf_is_the_same_as_well_and_says_nothing_about_its_making(release: Release) -> None:
    package = factories.pack(release)
    pdf = read_file(package, "certificate.pdf")
    assert pdf.startswith(b"%PDF")
    assert write_pdf(read_file(package, "certificate.html").decode()) == pdf
    for key in (b"/CreationDate", b"/ModDate", b"/Author", b"/Creator", b"/ID"):
        assert key not in pdf


def test_forgetting_the_table_changes_no_package(release: Release, without_pdf: None) -> None:
    """Released rows are handed over on terms of their own; so is everything about them."""
    first = bytes_of(factories.pack(release))
    forget_dataset(release.request.run.dataset, None)
    release = Release.objects.get(id=release.id)
    assert bytes_of(Package.objects.get(release=release)) == first
    assert pack_anew(release, "csv") == first


def test_nothing_in_it_names_machine_person_folder_or_day(
    release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for the day of the approval, and those who decided, on certificate and dictionary."""
    words = ["machine-of-nobody", "person-of-nobody", "/tmp/", str(portal_settings.DATA_DIR)]
    for module, name in (("socket", "gethostname"), ("platform", "node")):
        monkeypatch.setattr(f"{module}.{name}", lambda: "machine-of-nobody")
    for variable in ("USER", "LOGNAME", "USERNAME", "HOSTNAME"):
        monkeypatch.setenv(variable, "person-of-nobody")
    day = timezone.localtime(release.released_at)
    for form in FORMATS:
        files = unpack(bytes_of(factories.pack(release, form)))
        monkeypatch.setattr(package_contents, "pdf_refusal", lambda: MISSING)  # one PDF is enough
        for name, content in files.items():
            raw = content + _inner_text(name, content)
            for word in words:
                assert word.encode() not in raw, (name, word)
            if name not in ("certificate.html", "certificate.pdf", "datapackage.json"):
                days = (f"{day:%Y-%m-%d}", f"{day:%d %b %y}", f"{day:%d %b %Y}")
                for written in ("Steward", "Approver", *days):
                    assert written.encode() not in raw, (name, written)


def _inner_text(name: str, content: bytes) -> bytes:
    """The parts of a workbook, which are packed once more."""
    if not name.endswith(".xlsx"):
        return b""
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        assert {part.date_time for part in parts.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert not [part for part in parts.namelist() if part.startswith("docProps")]
        return b"".join(parts.read(part) for part in parts.namelist())


def test_the_zip_has_one_time_for_all(release: Release, without_pdf: None) -> None:
    with zipfile.ZipFile(io.BytesIO(bytes_of(factories.pack(release)))) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_all_formats_hold_the_approved_rows(release: Release, without_pdf: None) -> None:
    tables = []
    for form in FORMATS:
        files = unpack(bytes_of(factories.pack(release, form)))
        fields = json.loads(files["datapackage.json"])["resources"][0]["schema"]["fields"]
        names = [field["name"] for field in fields]
        tables.append(read_release(files[f"release.{form}"], FileKind(form), names))
    rows = tables[0].head(tables[0].rows)
    assert all(table.head(table.rows) == rows for table in tables[1:])


FORMULAS = Table.from_rows(
    ["note", "=sum"], [["=1+1", "a"], ["+x", "b"], ["-5", "c"], ["@y", "d"], ["plain", "e"]]
)


def test_formulas_are_neutralized_and_read_back() -> None:
    stream = io.BytesIO()
    write_csv(FORMULAS, stream)
    cells = list(csv.reader(io.StringIO(stream.getvalue().decode())))
    assert [row[0] for row in cells] == ["note", "'=1+1", "'+x", "-5", "'@y", "plain"]
    assert cells[0][1] == "'=sum"
    back = read_release(stream.getvalue(), FileKind.CSV)
    assert [row[0] for row in back.head(9)] == ["=1+1", "+x", "-5", "@y", "plain"]


@pytest.mark.parametrize(
    "text",
    [
        "=1",
        "\t=1",
        "\r=1",
        "\n=1",
        " =1",
        "\u00a0@x",
        "\ufeff+x",
        "＝1",
        "＋x",
        "－x",
        "＠x",
        "-x",
        "+1+1",
    ],
)
def test_what_a_spreadsheet_would_run_begins_with_an_apostrophe(text: str) -> None:
    table = Table.from_rows(["note", "other"], [[text, "a"]])
    stream = io.BytesIO()
    write_csv(table, stream)
    cells = list(csv.reader(io.StringIO(stream.getvalue().decode(), newline="")))
    assert cells[1][0] == f"'{text}"
    assert read_release(stream.getvalue(), FileKind.CSV).head(1) == [[text, "a"]]


@pytest.mark.parametrize("text", ["-5", "-5.25", "plain", "5-10", "1 = 1"])
def test_what_no_spreadsheet_runs_stays_as_it_is(text: str) -> None:
    assert neutralize(text) == text


def test_names_of_columns_stay_words_on_the_certificate(release: Release) -> None:
    run, hostile = release.request.run, '<script>alert(1)</script>"><img src=x onerror=y>'

    def rename(columns: dict[str, Any]) -> dict[str, Any]:
        return {hostile if name == "Zip" else name: own for name, own in columns.items()}

    plan = {**run.publication.plan, "columns": rename(run.publication.plan["columns"])}
    publication = replace(run.publication, plan=plan)
    report = publication.publish_report(replace(run.report, columns=rename(run.report.columns)))
    own = Certificate(
        release_statement_of(release), report, publication, "0" * 64, PackedSubject.of(run.dataset)
    )
    page = write_certificate(own)
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_a_workbook_has_no_formula_and_no_properties() -> None:
    stream = io.BytesIO()
    write_table(FORMULAS, stream, FileKind.EXCEL)
    sheet = _inner_text("t.xlsx", stream.getvalue())
    assert b"<f>" not in sheet
    assert sheet.count(b't="inlineStr"') == 12


def test_words_become_value_labels_in_spss(release: Release, without_pdf: None) -> None:
    import pyreadstat

    content = unpack(bytes_of(factories.pack(release, "sav")))["release.sav"]
    _, about = pyreadstat.read_sav(io.BytesIO(content))
    assert set(about.variable_value_labels["Condition"].values()) == {"Cancer", "Diabetes", "Flu"}
    assert about.creation_time == datetime(1980, 1, 1)


def test_the_dictionary_is_a_data_package(
    release: Release, without_pdf: None, tmp_path: Path
) -> None:
    """Read by the library that others will read it with: form, types, labels, bytes and hash."""
    for name, content in unpack(bytes_of(factories.pack(release))).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    found = frictionless.validate(str(tmp_path / "datapackage.json"))
    assert found.valid, found.flatten(["type", "note"])


def test_the_dictionary_says_what_was_done_to_a_column(release: Release, without_pdf: None) -> None:
    document = json.loads(read_file(factories.pack(release), "datapackage.json"))
    age = document["resources"][0]["schema"]["fields"][1]
    assert age["level"] == {"used": 2, "of": 4, "name": "steps of 20"}
    assert age["categories"] == ["20-39", "40-59"]
    assert age["missing"]["cells"] == age["suppressed"]["cells"] == 0
    assert document["rowsLeftOut"] == {"rows": 0, "share": 0.0}


def test_the_certificate_tells_all_and_runs_nothing(release: Release, without_pdf: None) -> None:
    page = read_file(factories.pack(release), "certificate.html").decode()
    for words in (
        "Certificate of de-identification",
        "Every person now hides among at least 4",
        "Policy of the team, version 1",
        "No attack was made",
        "Assumptions and limits",
        "Approved by <b>Approver</b>",
        release.request.output_sha256,
        current_signer().fingerprint,
    ):
        assert words in page
    assert "<script" not in page
    assert "http://" not in page.replace('xmlns="http://www.w3.org/2000/svg"', "")


def test_waivers_are_printed_with_reason_and_people(cast: Cast, without_pdf: None) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    factories.allow_small_groups(cast.team, cast.administrator, least_k=6)
    request = ask_for_review(run=run, asked_by=cast.steward, terms=RequestTerms("teaching file"))
    waiver = ask_for_waiver(
        request=request, asked_by=cast.steward, gate="least_k", reason="Only <twelve> people."
    )
    agree_to_waiver(waiver=waiver, agreed_by=cast.approver)
    crossed = request.waivers.filter(gate="cross_releases")
    assert not crossed
    release = factories.approve(request, cast.approver)
    page = read_file(factories.pack(release), "certificate.html").decode()
    assert "Only &lt;twelve&gt; people." in page
    assert "Asked for by Steward" in page
    assert "agreed by Approver" in page
    assert "1 waived" in page


def test_the_recipe_stays_where_the_policy_keeps_it(cast: Cast, without_pdf: None) -> None:
    package = factories.pack(make_rich_release(cast, publish_recipe=False))
    files = unpack(bytes_of(package))
    assert "plan.json" not in files
    assert "plan" not in json.loads(files["report.json"])
    assert any("kept back" in note for note in package.notes)
    assert package.verified["is_whole"]


def test_without_pango_the_package_says_so(release: Release, without_pdf: None) -> None:
    package = factories.pack(release)
    assert package.notes == [MISSING]
    assert "certificate.pdf is missing" in read_file(package, "README.txt").decode()


def test_what_stood_at_the_approval_stays(cast: Cast, release: Release, without_pdf: None) -> None:
    factories.allow_small_groups(cast.team, cast.administrator, least_k=50)
    page = read_file(factories.pack(release), "certificate.html").decode()
    assert "Policy of the team, version 1" in page
    assert "Everybody hides among at least 4" in page


def test_a_release_of_before_gets_its_statement_late(release: Release, without_pdf: None) -> None:
    Statement.objects.all().delete()
    page = read_file(factories.pack(release), "certificate.html").decode()
    assert "not at the approval" in page


def test_one_key_signs_until_it_is_changed(
    cast: Cast, release: Release, without_pdf: None, capsys: pytest.CaptureFixture[str]
) -> None:
    first = factories.pack(release)
    new = rotate_signing_key(cast.administrator)
    second = factories.pack(release, "parquet")
    assert first.key_fingerprint != second.key_fingerprint == new.fingerprint
    assert fingerprint_of(read_file(first, "portal.pub")) == first.key_fingerprint
    assert {key.fingerprint for key in SigningKey.objects.all()} == {
        first.key_fingerprint,
        second.key_fingerprint,
    }
    assert Event.objects.filter(action="signing_key.first_used").count() == 2
    call_command("signing_key")
    assert f"{new.fingerprint}  signs now" in capsys.readouterr().out


def test_the_private_key_lies_sealed_or_comes_from_the_setting(
    db: None, settings: Settings
) -> None:
    seed = current_signer().seed
    assert seed not in vault.path_of(STORED_AS).read_bytes()
    settings.SIGNING_KEY = "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA="
    assert current_signer().seed == bytes(range(1, 33))
    assert seed.hex() not in repr(current_signer())
