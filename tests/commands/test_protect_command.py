"""`manage.py protect`, as somebody at a terminal sees it: exit codes, one sentence, two files."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import plotly.io
import pytest
from django.core.management import call_command

from deid_portal.commands.seed_confirmation import CONFIRMATION
from deid_portal.engine import Table
from deid_portal.engine.charts.gallery import charts_of_report
from deid_portal.engine.charts.svg import write_svg
from deid_portal.engine.files.file_format import FileKind
from deid_portal.engine.files.table_reader import detect_file, read_table
from deid_portal.engine.files.writer import write_table
from deid_portal.engine.report import Report
from tests.engine.tables import ADULT, document, four_columns

TABLE = "zip,age,condition\n13053,28,Flu\n13053,28,Cancer\n13068,35,Flu\n13068,,Flu\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "plan.json").write_text(json.dumps(document(four_columns())))
    return tmp_path


def protect(folder: Path, *more: str) -> int:
    """Run the command; return its exit code."""
    try:
        call_command(
            "protect",
            str(folder / "table.csv"),
            "--plan",
            str(folder / "plan.json"),
            "--out",
            str(folder / "out"),
            *more,
        )
    except SystemExit as leaving:
        return int(leaving.code or 0)
    return 0


def test_writes_release_and_report(folder: Path) -> None:
    assert protect(folder) == 0
    assert sorted(path.name for path in (folder / "out").iterdir()) == [
        "release.csv",
        "report.json",
    ]
    assert (folder / "out" / "release.csv").read_text().splitlines()[:2] == [
        "zip,age,condition",
        "13053,*,Cancer",
    ]
    report = json.loads((folder / "out" / "report.json").read_text())
    assert report["solution"]
    assert report["rows"] == {"released": 4, "suppressed": 0}


def test_no_solution_exits_3_with_a_report_and_no_table(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert protect(folder) == 0
    plan = document(
        four_columns(), models=[{"model": "l-diversity", "l": 3, "column": "condition"}]
    )
    (folder / "plan.json").write_text(json.dumps(plan))
    assert protect(folder) == 3
    assert [path.name for path in (folder / "out").iterdir()] == ["report.json"]
    assert not json.loads((folder / "out" / "report.json").read_text())["solution"]


@pytest.mark.parametrize(
    ("table", "changes", "sentence"),
    [
        ("", {}, "The file is empty."),
        ("zip,age,condition\n", {}, "no rows below"),
        ("zip,age,condition\n1,2\n", {}, "Row 2 has 2 cells where 3 are expected."),
        (
            TABLE,
            {"models": [{"model": "k-anonymity", "k": 9}]},
            "models[0].k: the table has 4 rows",
        ),
        (TABLE, {"plan": 3}, "plan: version 1 is accepted."),
        (TABLE, {"columns": {"zip": {"role": "sensitive"}}}, "at least one quasi-identifier"),
    ],
)
def test_unusable_input_exits_2_with_one_sentence_and_writes_nothing(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    table: str,
    changes: dict[str, Any],
    sentence: str,
) -> None:
    (folder / "table.csv").write_text(table)
    (folder / "plan.json").write_text(json.dumps(document(four_columns()) | changes))
    assert protect(folder) == 2
    message = capsys.readouterr().err
    assert sentence in message
    assert message.count("\n") == 1
    assert not (folder / "out").exists()


def test_missing_files_exit_2(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "table.csv").unlink()
    assert protect(folder) == 2
    assert "no readable file" in capsys.readouterr().err
    (folder / "plan.json").unlink()
    assert protect(folder) == 2
    assert "no readable plan" in capsys.readouterr().err


def test_unwritable_folder_exits_2(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "out").write_text("a file in the way")
    assert protect(folder) == 2
    assert "Cannot write" in capsys.readouterr().err


def test_delimiter_and_encoding_are_detected_and_can_be_given(folder: Path) -> None:
    other = TABLE.replace(",", ";").replace("Flu", "Übelkeit")
    (folder / "table.csv").write_bytes(other.encode("cp1252"))
    assert protect(folder) == 0
    assert "Übelkeit" in (folder / "out" / "release.csv").read_text(encoding="utf-8")
    assert protect(folder, "--delimiter", ";", "--encoding", "latin-1") == 0
    assert protect(folder, "--encoding", "utf-8") == 2
    assert protect(folder, "--delimiter", "|") == 2


def test_the_header_is_detected_and_can_be_given(folder: Path) -> None:
    assert protect(folder, "--header", "yes") == 0
    assert protect(folder, "--header", "no") == 2  # the plan names columns that are not there then


def test_cold_process_needs_no_database(folder: Path) -> None:
    """From a real process: Adult, nine quasi-identifiers, five percent left out."""
    names = (ADULT / "adult.csv").read_text().splitlines()[0].split(";")
    columns = {
        name: {
            "role": "quasi-identifier",
            "taxonomy": {"file": str(ADULT / f"adult_hierarchy_{name}.csv")},
        }
        for name in names
    }
    method = {"name": "full-domain", "suppression_limit": 0.05}
    plan = document(columns, models=[{"model": "k-anonymity", "k": 5}], method=method)
    (folder / "plan.json").write_text(json.dumps(plan))
    answer = subprocess.run(
        [
            sys.executable,
            "manage.py",
            "protect",
            str(ADULT / "adult.csv"),
            "--plan",
            str(folder / "plan.json"),
            "--out",
            str(folder / "out"),
        ],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing"},
        capture_output=True,
        text=True,
    )
    assert (answer.returncode, answer.stderr, answer.stdout) == (0, "", "")
    report = json.loads((folder / "out" / "report.json").read_text())
    assert report["rows"]["suppressed"] == 1346


PEOPLE = "name,zip\nAnn,13053\n=Bob,13053\nAnn,13053\n"


def pseudonymous(folder: Path, treatment: str) -> None:
    (folder / "table.csv").write_text(PEOPLE)
    columns = {
        "name": {"role": "identifier", "treatment": treatment},
        "zip": {"role": "quasi-identifier"},
    }
    (folder / "plan.json").write_text(json.dumps(document(columns)))
    (folder / "key").write_text("a secret of more than sixteen signs\n")


def released_names(folder: Path) -> list[str]:
    rows = (folder / "out" / "release.csv").read_text().splitlines()[1:]
    return [row.split(",")[0] for row in rows]


def test_pseudonyms_follow_from_the_key_alone(folder: Path) -> None:
    pseudonymous(folder, "pseudonym")
    assert protect(folder, "--pseudonym-key", str(folder / "key")) == 0
    first = released_names(folder)
    assert len(set(first)) == 2
    (folder / "key").write_text("a secret of more than sixteen signs")  # without the line break
    assert protect(folder, "--pseudonym-key", str(folder / "key")) == 0
    assert released_names(folder) == first
    (folder / "key").write_text("another secret of many more signs")
    assert protect(folder, "--pseudonym-key", str(folder / "key")) == 0
    assert set(released_names(folder)).isdisjoint(first)


@pytest.mark.parametrize("key", ["", "short", None])
def test_a_key_that_is_none_is_refused(
    folder: Path, key: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    pseudonymous(folder, "pseudonym")
    (folder / "key").unlink()
    if key is not None:
        (folder / "key").write_text(key)
    assert protect(folder, "--pseudonym-key", str(folder / "key")) == 2
    assert "key" in capsys.readouterr().err
    assert not (folder / "out").exists()


def test_the_way_back_lies_apart_and_is_for_its_owner(folder: Path) -> None:
    pseudonymous(folder, "reversible")
    back = folder / "back.csv"
    assert protect(folder, "--pseudonym-key", str(folder / "key"), "--way-back", str(back)) == 0
    rows = [line.split(",") for line in back.read_text().splitlines()]
    assert rows[0] == ["pseudonym", "column", "original"]
    assert {row[0] for row in rows[1:]} == set(released_names(folder))
    assert {tuple(row[1:]) for row in rows[1:]} == {("name", "Ann"), ("name", "'=Bob")}
    assert back.stat().st_mode & 0o777 == 0o600


def test_a_way_back_is_asked_for_twice_or_not_at_all(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pseudonymous(folder, "reversible")
    assert protect(folder, "--pseudonym-key", str(folder / "key")) == 2
    assert "--way-back" in capsys.readouterr().err
    pseudonymous(folder, "pseudonym")
    back = ["--pseudonym-key", str(folder / "key"), "--way-back", str(folder / "back.csv")]
    assert protect(folder, *back) == 2
    assert not (folder / "back.csv").exists()


@pytest.mark.parametrize(
    ("kind", "ending"),
    [
        (FileKind.EXCEL, "xlsx"),
        (FileKind.PARQUET, "parquet"),
        (FileKind.SPSS, "sav"),
        (FileKind.STATA, "dta"),
    ],
)
def test_the_release_is_of_the_kind_the_table_was(
    folder: Path, kind: FileKind, ending: str
) -> None:
    assert protect(folder) == 0
    from_csv = detect_and_read(folder / "out" / "release.csv")
    table = detect_and_read(folder / "table.csv")
    with (folder / "table.csv").open("wb") as stream:  # its content says what it is, not its name
        write_table(table, stream, kind)
    assert protect(folder) == 0
    assert not (folder / "out" / "release.csv").exists()
    release = detect_and_read(folder / "out" / f"release.{ending}")
    assert release.head(9) == from_csv.head(9)


def detect_and_read(path: Path) -> Table:
    return read_table(path, detect_file(path).format)


def test_a_file_that_is_no_table_is_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "table.csv").write_bytes(b"%PDF-1.7")
    assert protect(folder) == 2
    assert "PDF" in capsys.readouterr().err
    (folder / "table.csv").unlink()
    assert protect(folder) == 2
    assert "no readable file" in capsys.readouterr().err


PRAM = {"name": "pram", "columns": ["condition"], "epsilon": 0.5}


def test_a_seed_that_undoes_the_protection_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = document(four_columns(), models=[], method=PRAM, seed=7)
    (folder / "plan.json").write_text(json.dumps(plan))
    assert protect(folder) == 2
    said = capsys.readouterr().err.strip()
    assert said.startswith("seed: chance protects people here")
    assert said.endswith(f'confirm it with --repeatable "{CONFIRMATION}".')
    assert protect(folder, "--repeatable", "yes") == 2
    assert f'only "{CONFIRMATION}" confirms it' in capsys.readouterr().err
    assert not (folder / "out").exists()


def test_a_confirmed_seed_repeats_and_the_report_says_so(folder: Path) -> None:
    plan = document(four_columns(), models=[], method=PRAM, seed=7)
    (folder / "plan.json").write_text(json.dumps(plan))
    released = []
    for _ in range(2):
        assert protect(folder, "--repeatable", CONFIRMATION) == 0
        released.append((folder / "out" / "release.csv").read_text())
    assert released[0] == released[1]
    report = json.loads((folder / "out" / "report.json").read_text())
    assert report["randomness"]["repeatable"] is True
    assert report["transformation"]["steps"][0]["epsilon"] is None


def test_charts_are_those_of_the_report(folder: Path) -> None:
    assert protect(folder, "--charts") == 0
    report = json.loads((folder / "out" / "report.json").read_text())
    written = {path.name for path in (folder / "out" / "charts").iterdir()}
    names = charts_of_report(Report.from_document(report))
    assert written == {f"{name}.{kind}" for name in names for kind in ("json", "svg")}
    figure = plotly.io.read_json(folder / "out" / "charts" / "risk.json")
    assert figure.layout.title.text == names["risk"].title
    assert figure.data == names["risk"].figure.data
    picture = (folder / "out" / "charts" / "risk.svg").read_text()
    assert picture == write_svg(names["risk"].figure, names["risk"].title)


def test_charts_of_an_earlier_run_go(folder: Path) -> None:
    protect(folder, "--charts")
    own = folder / "out" / "charts" / "notes.json"
    own.write_text("{}")
    assert protect(folder) == 0
    assert list((folder / "out" / "charts").iterdir()) == [own]
