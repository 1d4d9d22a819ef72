"""A package that was tampered with, in many ways: each is found, and the reason is said."""

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command

from deid_portal.engine import Column, ColumnType, Table
from deid_portal.engine.files.file_format import FileKind
from deid_portal.engine.files.writer import write_table
from deid_portal.engine.verification.archive import InvalidPackage
from deid_portal.engine.verification.tables import read_release
from deid_portal.engine.verification.verification import PackageVerification, verify_package
from tests.engine.tables import DATA
from tests.releases.packages import (
    Files,
    build_packages,
    flip,
    forge,
    remake_sums,
    repack,
    unpack,
)

# Only the packages need the database, once; marked, so that it is set up at all.
pytestmark = pytest.mark.django_db
FORMATS = ("csv", "parquet", "xlsx", "sav")
Change = Callable[[Files], Files]


@pytest.fixture(scope="module")
def packages(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, bytes]]:
    with django_db_blocker.unblock():
        yield from build_packages(tmp_path_factory.mktemp("data"), *FORMATS)


@pytest.fixture(scope="module")
def files(packages: dict[str, bytes]) -> Files:
    return unpack(packages["csv"])


def verify(package: bytes, **options: Any) -> PackageVerification:
    return verify_package(io.BytesIO(package), **options)


def reasons(package: bytes, **options: Any) -> str:
    return "\n".join(claim.words for claim in verify(package, **options).failed)


@pytest.mark.parametrize("form", FORMATS)
def test_an_untouched_package_holds(form: str, packages: dict[str, bytes]) -> None:
    done = verify(packages[form])
    assert not done.failed
    assert {"k": 4, "l": 3, "left out": 0}.items() <= done.figures.items()
    assert {"SIGNATURE", "zip", "classes", "risk.after"} <= {claim.name for claim in done.held}
    assert "t-closeness of Condition" not in {claim.name for claim in done.trusted}


def test_taking_apart_and_packing_again_changes_nothing(packages: dict[str, bytes]) -> None:
    assert repack(unpack(packages["csv"])) == packages["csv"]


def test_what_needs_the_original_is_never_called_verified(packages: dict[str, bytes]) -> None:
    done = verify(packages["csv"])
    trusted = " ".join(claim.name for claim in done.trusted)
    for words in ("left out", "levels of Age", "waivers, approvals"):
        assert words in trusted


def test_a_package_of_before_can_still_be_verified() -> None:
    """It says more than one of today would, and lists that as taken on trust."""
    done = verify((DATA / "packages" / "of-before.zip").read_bytes())
    assert not done.failed
    assert done.is_whole
    trusted = " ".join(claim.name for claim in done.trusted)
    for words in ("risk before", "detail lost", "entropy", "divergence"):
        assert words in trusted


NAMES = (
    "release.csv",
    "datapackage.json",
    "certificate.html",
    "certificate.pdf",
    "report.json",
    "plan.json",
    "taxonomies/column-03.csv",
    "README.txt",
    "portal.pub",
    "SHA256SUMS",
    "SIGNATURE",
)


def test_all_files_are_tried(files: Files) -> None:
    assert set(files) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_one_changed_byte_in_any_file_is_found(name: str, files: Files) -> None:
    assert name in reasons(repack({**files, name: flip(files[name])}))


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_file_is_found(name: str, files: Files) -> None:
    left = {own: content for own, content in files.items() if own != name}
    assert name in reasons(repack(left))


def test_one_changed_byte_anywhere_in_the_zip_is_found(packages: dict[str, bytes]) -> None:
    """Also in the bytes that no content depends on: times, flags, sizes, the list at the end."""
    package = packages["csv"]
    step = max(len(package) // 80, 1)
    for place in {
        *range(0, len(package), step),
        *range(64),
        *range(len(package) - 120, len(package)),
    }:
        assert _is_found(flip(package, place)), f"byte {place}"


def _is_found(package: bytes) -> bool:
    try:
        return not verify(package).is_whole
    except InvalidPackage:
        return True


def _rows(files: Files, change: Callable[[list[bytes]], list[bytes]]) -> Files:
    lines = files["release.csv"].splitlines(keepends=True)
    return {**files, "release.csv": lines[0] + b"".join(change(lines[1:]))}


def _moved(rows: list[bytes]) -> list[bytes]:
    """Put one person into a group of their own."""
    zip_code, _, condition = rows[0].split(b",")
    return [b",".join([zip_code, b"60-79", condition]), *rows[1:]]


def _report(files: Files, *steps: str | int, value: Any) -> Files:
    return _edit(files, "report.json", *steps, value=value)


def _edit(files: Files, name: str, *steps: str | int, value: Any) -> Files:
    document = json.loads(files[name])
    inner = document
    for step in steps[:-1]:
        inner = inner[step]
    assert isinstance(inner, list) or inner.get(steps[-1]) != value
    inner[steps[-1]] = value
    return {**files, name: json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n"}


TABLES: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "a row removed": (lambda rows: rows[1:], "rows.released: said 12, found 11"),
    "a row twice": (lambda rows: [*rows, rows[0]], "rows.released: said 12, found 13"),
    "a person alone": (_moved, "models.0.achieved.k: said 4, found 1"),
    "no person": (lambda rows: [], "release.csv"),
}


@pytest.mark.parametrize("way", TABLES)
def test_changed_rows_with_new_sums_break_the_signature(way: str, files: Files) -> None:
    assert "SIGNATURE" in reasons(repack(remake_sums(_rows(files, TABLES[way][0]))))


@pytest.mark.parametrize("way", TABLES)
def test_changed_rows_signed_anew_break_a_claim(way: str, files: Files) -> None:
    change, words = TABLES[way]
    assert words in reasons(repack(forge(_rows(files, change))))


CLAIMS: dict[tuple[str | int, ...], Any] = {
    ("models", 0, "achieved", "k"): 5,
    ("models", 0, "k"): 3,
    ("models", 1, "achieved", "l"): 4,
    ("models", 2, "achieved", "t"): 0.1,
    ("models", 1, "holds"): False,
    ("rows", "released"): 11,
    ("classes", "count"): 3,
    ("classes", "smallest"): 5,
    ("classes", "bins", 2, "count"): 7,
    ("risk", "after", "prosecutor", "highest"): 0.2,
    ("risk", "after", "journalist"): 0.2,
    ("risk", "after", "marketer"): 0.1,
    ("risk", "after", "sample_uniques"): 0.5,
    ("risk", "after", "bands", 0, "share"): 0.5,
    ("risk", "details", "after", "prosecutor", "average"): 0.01,
    ("sensitive", "Condition", "surest_guess"): 0.25,
    ("utility", "discernibility"): 1,
    ("utility", "average_class_size"): 9.0,
    ("utility", "precision"): 0.99,
    ("columns", "Zip", "loss"): 0.01,
    ("columns", "Age", "loss"): 0.01,
    ("columns", "Age", "level_name"): "exact",
    ("columns", "Zip", "height"): 9,
    ("columns", "Zip", "level"): 0,
    ("transformation", "levels", "Zip"): 0,
    ("input", "rows"): 13,
    ("rows", "suppressed"): 1,
    ("solution",): False,
    ("columns", "Zip", "distinct_after"): 1,
    ("columns", "Age", "role"): "insensitive",
    ("columns", "Name", "released"): True,
    ("plan_sha256",): "0" * 64,
    ("plan", "models"): [],
    ("models",): [],
}


@pytest.mark.parametrize("place", CLAIMS, ids=lambda place: ".".join(map(str, place)))
def test_a_changed_claim_signed_anew_is_found(place: tuple[str | int, ...], files: Files) -> None:
    said = reasons(repack(forge(_report(files, *place, value=CLAIMS[place]))))
    assert "report.json" in said or ".".join(map(str, place)) in said or "plan.json" in said


FORGERIES: dict[str, tuple[Change, str]] = {
    "a number on the certificate": (
        lambda files: {
            **files,
            "certificate.html": files["certificate.html"].replace(
                b'class="share">25', b'class="share">20', 1
            ),
        },
        "certificate.html",
    ),
    "a label in the dictionary": (
        lambda files: _edit(
            files,
            "datapackage.json",
            *("resources", 0, "schema", "fields", 0, "categories", 0),
            value="other",
        ),
        "dictionary of Zip",
    ),
    "a type in the dictionary": (
        lambda files: _edit(
            files,
            "datapackage.json",
            *("resources", 0, "schema", "fields", 1, "type"),
            value="integer",
        ),
        "dictionary of Age",
    ),
    "a share of gaps in the dictionary": (
        lambda files: _edit(
            files,
            "datapackage.json",
            *("resources", 0, "schema", "fields", 2, "missing", "share"),
            value=0.5,
        ),
        "missing.share: said 0.5, found 0",
    ),
    "a column renamed": (
        lambda files: {
            **files,
            "release.csv": files["release.csv"].replace(b"Condition", b"Diagnosis", 1),
        },
        "datapackage.json: the table has other columns",
    ),
    "another plan": (
        lambda files: _edit(files, "plan.json", "models", 0, "k", value=2),
        "plan.json: it is not the plan that the report is about",
    ),
    "another taxonomy": (
        lambda files: {
            **files,
            "taxonomies/column-03.csv": files["taxonomies/column-03.csv"].replace(
                b"no. 1", b"no. 9"
            ),
        },
        "plan.json: columns.Zip.taxonomy",
    ),
    "a formula that runs": (
        lambda files: {
            **files,
            "release.csv": files["release.csv"].replace(b"Cancer", b"=HYPERLINK(1)"),
        },
        "a spreadsheet would run",
    ),
    "detail that the plan does not tell": (
        lambda files: _report(files, "utility", "loss", value=0.3),
        "utility: it says more of the detail lost than release and plan tell",
    ),
    "a report that is none": (lambda files: {**files, "report.json": b"[]\n"}, "report.json"),
    "a report without its parts": (
        lambda files: {**files, "report.json": b'{"report": 1}\n'},
        "report.json: it has not the form",
    ),
    "a word for a number": (
        lambda files: _report(files, "rows", "released", value="twelve"),
        "report.json: rows.released: a whole number is needed here.",
    ),
    "two tables": (lambda files: {**files, "release.xlsx": b"PK"}, "exactly one table"),
}


@pytest.mark.parametrize("way", FORGERIES)
def test_a_forgery_signed_anew_is_found(way: str, files: Files) -> None:
    change, words = FORGERIES[way]
    assert words in reasons(repack(forge(change(files))))


def _in_the_sheet(content: bytes, old: bytes, new: bytes) -> bytes:
    """Change the first sheet of a workbook, all else as it was."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as book, zipfile.ZipFile(target, "w") as changed:
        for entry in book.infolist():
            part = book.read(entry)
            changed.writestr(entry, part.replace(old, new, 1))
    assert target.getvalue() != content
    return target.getvalue()


WORKBOOKS: dict[str, tuple[bytes, bytes]] = {
    "a formula": (b'<c t="inlineStr">', b"<c><f>HYPERLINK(1)</f></c><c>"),
    "a cell more": (b"</row>", b"<c/></row>"),
    "a row without its tag": (b"<row>", b"<row hidden='1'>"),
    "something behind the rows": (b"</sheetData>", b"</sheetData><drawing/>"),
    "another style": (b'quotePrefix="1"', b'quotePrefix="0"'),
}


@pytest.mark.parametrize("way", WORKBOOKS)
def test_a_workbook_of_another_form_is_found(way: str, packages: dict[str, bytes]) -> None:
    files = unpack(packages["xlsx"])
    changed = _in_the_sheet(files["release.xlsx"], *WORKBOOKS[way])
    said = reasons(repack(forge({**files, "release.xlsx": changed})))
    assert "release.xlsx: The workbook is not as the portal writes them." in said


def test_a_large_workbook_of_few_words_can_be_read_back() -> None:
    """It shrinks to less than a hundredth, which workbooks of others must not."""
    rows = 200_000
    codes = (np.arange(rows) % 2).astype(np.int32)
    column = Column("a rather long name", ColumnType.TEXT, codes, ("the same words", None))
    table = Table((column, replace(column, name="b"), replace(column, name="c", values=("x", "y"))))
    stream = io.BytesIO()
    write_table(table, stream, FileKind.EXCEL)
    back = read_release(stream.getvalue(), FileKind.EXCEL)
    assert (back.rows, back.names) == (rows, table.names)
    assert back.head(3) == table.head(3)


def test_a_package_signed_anew_is_told_from_ours_by_the_key(files: Files) -> None:
    forged = repack(forge(files))
    assert verify(forged).is_whole, "without a key nothing tells whose it is"
    assert "another key" in reasons(forged, pinned=files["portal.pub"])
    assert verify(repack(files), pinned=files["portal.pub"]).is_whole


def test_a_claim_that_nobody_can_compute_is_safe_with_the_key(files: Files) -> None:
    changed = _report(files, "input", "rows", value=13)
    changed = _report(changed, "rows", "suppressed", value=1)
    assert "another key" in reasons(repack(forge(changed)), pinned=files["portal.pub"])


def test_an_added_file_is_found(files: Files) -> None:
    assert "notes.txt: not in SHA256SUMS" in reasons(repack({**files, "notes.txt": b"x"}))
    assert "SIGNATURE" in reasons(repack(remake_sums({**files, "notes.txt": b"x"})))


def test_a_name_twice_is_found(files: Files) -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        package = repack(files, ("release.csv", b"Zip,Age,Condition\n1,2,3\n"))
    assert "twice" in reasons(package)


@pytest.mark.parametrize("name", ["../evil.txt", "/etc/evil", "a\\..\\b", "C:evil", "taxonomies/"])
def test_a_name_that_leads_elsewhere_is_found(name: str, files: Files) -> None:
    said = reasons(repack({**files, name: b""}))
    assert "leads outside" in said or "no plain file" in said


def test_a_file_without_a_name_is_found(files: Files) -> None:
    """As damaged zips have them; asked whether it is a folder, Python's module breaks off."""
    assert "a file without a name" in reasons(repack({**files, "": b"x"}))


def test_a_link_instead_of_a_file_is_found(files: Files) -> None:
    target = io.BytesIO(repack(files))
    with zipfile.ZipFile(target, "a") as archive:
        entry = zipfile.ZipInfo("notes.txt")
        entry.external_attr = 0o120777 << 16
        archive.writestr(entry, "/etc/passwd")
    assert "notes.txt: this is no plain file" in reasons(target.getvalue())


def test_an_entry_larger_than_it_says_is_not_unpacked_further(files: Files) -> None:
    """The size in the list at the end is what memory is reckoned with, so it must be true."""
    package = repack({**files, "notes.txt": bytes(100_000)})
    place = package.rindex(b"notes.txt") - 46
    small = package[: place + 24] + (10).to_bytes(4, "little") + package[place + 28 :]
    assert "notes.txt: its bytes in the zip are damaged" in reasons(small)


def test_two_entries_over_the_same_bytes_are_found(files: Files) -> None:
    """As bombs are made that no single size betrays."""
    package = repack(files)
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        first, second = archive.infolist()[:2]
    place = package.rindex(second.filename.encode(), 0, len(package)) - 46
    overlapping = (
        package[: place + 42] + first.header_offset.to_bytes(4, "little") + package[place + 46 :]
    )
    assert _is_found(overlapping)


def test_sums_that_name_a_file_twice_are_found(files: Files) -> None:
    lines = files["SHA256SUMS"] + files["SHA256SUMS"].splitlines(keepends=True)[0]
    assert "SHA256SUMS: not a list" in reasons(repack({**files, "SHA256SUMS": lines}))


@pytest.mark.parametrize("where", ["before", "after"])
def test_bytes_around_the_zip_are_found(where: str, packages: dict[str, bytes]) -> None:
    package = packages["csv"]
    assert _is_found(b"#!" + package if where == "before" else package + b"\n")


def test_other_packing_of_the_same_files_is_found(files: Files) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    assert "was changed" in reasons(target.getvalue())


def test_what_is_cut_short_or_no_zip_is_refused(packages: dict[str, bytes]) -> None:
    for content in (packages["csv"][:-30], packages["csv"][:200], b"", b"no zip at all"):
        with pytest.raises(InvalidPackage):
            verify(content)


def test_a_bomb_is_not_unpacked(files: Files) -> None:
    bomb = repack({**files, "notes.txt": bytes(3 * 1024 * 1024)})
    with pytest.raises(InvalidPackage, match="larger than 2 MB"):
        verify(bomb, largest_mb=2)


def test_the_command_says_what_the_page_shows(
    packages: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "package.zip"
    path.write_bytes(packages["csv"])
    call_command("verify", str(path))
    said = capsys.readouterr().out
    assert "signature ok · 9 hashes ok · k 4 · l 3 · t 0.17 · highest risk 0.25" in said
    assert "every claim holds" in said
    assert "taken on trust" in said


@pytest.mark.parametrize(("way", "code"), [("a claim", 3), ("no zip", 2), ("no file", 2)])
def test_the_command_ends_with_its_code(
    way: str, code: int, files: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "package.zip"
    if way == "a claim":
        path.write_bytes(repack(forge(_report(files, "rows", "released", value=11))))
    elif way == "no zip":
        path.write_bytes(b"nothing")
    with pytest.raises(SystemExit) as ended:
        call_command("verify", str(path))
    assert ended.value.code == code
    told = capsys.readouterr()
    assert "rows.released: said 11, found 12" in told.out if code == 3 else told.err


def test_the_command_takes_the_key(files: Files, tmp_path: Path) -> None:
    package, key = tmp_path / "package.zip", tmp_path / "key.pub"
    package.write_bytes(repack(forge(files)))
    key.write_bytes(files["portal.pub"])
    with pytest.raises(SystemExit) as ended:
        call_command("verify", str(package), "--key", str(key))
    assert ended.value.code == 3
