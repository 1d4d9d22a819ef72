"""`manage.py assess` prints a report and changes nothing."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from tests.engine.tables import document, four_columns

TABLE = "zip,age,condition\n13053,28,Flu\n13053,28,Cancer\n13068,35,Flu\n13068,,Flu\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "plan.json").write_text(json.dumps(document(four_columns())))
    return tmp_path


def assess(folder: Path, *more: str) -> Any:
    printed = StringIO()
    table, plan = str(folder / "table.csv"), str(folder / "plan.json")
    call_command("assess", table, "--plan", plan, *more, stdout=printed)
    return json.loads(printed.getvalue())


def test_prints_the_report_and_writes_nothing(folder: Path) -> None:
    before = sorted(folder.iterdir())
    report = assess(folder)
    assert report["models"][0]["achieved"] == {"k": 1}
    assert sorted(folder.iterdir()) == before


def test_measures_a_release(folder: Path) -> None:
    (folder / "release.csv").write_text("zip,age,condition\n13053,*,Flu\n13053,*,Cancer\n")
    report = assess(folder, "--released", str(folder / "release.csv"))
    assert report["solution"]
    assert report["rows"] == {"released": 2, "suppressed": 2}


def test_unusable_release_exits_2_with_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "release.csv").write_text("zip\n13053\n")
    with pytest.raises(SystemExit) as leaving:
        assess(folder, "--released", str(folder / "release.csv"))
    assert leaving.value.code == 2
    assert 'no column "age"' in capsys.readouterr().err
