"""Reports that were kept as files open, whole: nothing in them is lost or made up."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from deid_portal.engine.errors import InvalidReport
from deid_portal.engine.report import NotTold, Report
from deid_portal.engine.report.attacks import AttackFinding, AttackProblem
from deid_portal.engine.report.network import GroupsBeside, LinksBeside, NoWalk, Walk
from deid_portal.engine.report.remedies import LevelRemedy, LimitRemedy, SecretRemedy

DATA = Path(__file__).parents[2] / "data"
FILES = sorted((DATA / "reports").glob("*.json"))


def read(name: str, view: str = "whole") -> Any:
    return json.loads((DATA / "reports" / f"{name}.json").read_text())[view]


def opened(name: str, view: str = "whole") -> Report:
    return Report.from_document(read(name, view))


def test_there_are_reports_of_every_kind() -> None:
    kinds = {path.stem.partition("-")[0] for path in FILES}
    assert kinds == {"table", "network", "every", "unsolved", "repeatable"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_is_lost(path: Path) -> None:
    for view, document in json.loads(path.read_text()).items():
        written = json.loads(json.dumps(Report.from_document(document).to_document()))
        assert written == document, view


def test_a_report_of_before_opens() -> None:
    with zipfile.ZipFile(DATA / "packages" / "of-before.zip") as archive:
        document = json.loads(archive.read("report.json"))
    report = Report.from_document(document)
    assert report.rows.released == document["rows"]["released"]
    assert (
        report.risk.after.prosecutor.highest == document["risk"]["after"]["prosecutor"]["highest"]
    )


def test_entries_are_attributes() -> None:
    report, document = opened("table-full-domain"), read("table-full-domain")
    assert report.solution is True
    assert report.classes.bins[0].from_ == document["classes"]["bins"][0]["from"] == 1
    assert report.models[0].rule == {"model": "k-anonymity", "k": 2}
    assert report.models[0].achieved == document["models"][0]["achieved"]
    assert report.columns["age"].role == "quasi-identifier"
    assert report.utility.value_of("loss") == report.utility.loss == document["utility"]["loss"]
    assert report.utility.value_of("discourtesy") is None


def test_a_step_tells_what_its_method_noted() -> None:
    step = opened("table-pram").steps[0]
    assert step.method == "pram"
    assert step.epsilon == pytest.approx(3.0)
    assert set(step.columns) == {"condition", "sex"}
    assert opened("table-bucketization").steps[0].group_column == "group"
    assert opened("table-rounding").steps[0].columns == {}  # names alone


def test_one_of_several_forms_is_read() -> None:
    large, small = opened("network-large"), opened("network-k-degree")
    assert large.walk is not None
    assert small.walk is not None
    assert isinstance(large.beside, GroupsBeside)
    assert isinstance(small.beside, LinksBeside)
    assert isinstance(large.walk.before, NoWalk)
    assert isinstance(small.walk.before, Walk)
    attacks = opened("every-attack").attacks or ()
    assert {type(own) for own in attacks} == {AttackFinding, AttackProblem}
    remedies = [
        own for name in ("limit", "levels") for own in opened(f"unsolved-{name}").remedies or ()
    ]
    assert {LevelRemedy, LimitRemedy} <= {type(own) for own in remedies}
    assert any(isinstance(own, SecretRemedy) for own in opened("unsolved-mondrian").remedies or ())


def test_what_was_left_out_for_a_reader_is_not_told() -> None:
    seen = opened("table-full-domain", "in_house")
    assert seen.risk.before is None
    assert seen.utility_before is None
    assert not seen.tells("plan")
    with pytest.raises(NotTold, match='Report does not tell "plan" here'):
        seen.plan  # noqa: B018


WRONG: list[tuple[list[str | int], Any, str]] = [
    (["rows", "released"], "many", "rows.released: a whole number is needed here."),
    (["solution"], 1, "solution: true or false is needed here."),
    (["risk", "after", "bands", 2, "from"], None, "risk.after.bands[2].from: a number is needed"),
    (["columns", "age", "level"], 0.5, "columns.age.level: a whole number is needed here."),
    (["models"], {}, "models: a list is needed here."),
    (["models", 0], 5, "models[0]: an object with named entries is needed here."),
    (["comparison", "pairs", 0, "columns"], ["a"], "comparison.pairs[0].columns: a list of 2 is"),
    (["distributions", "pairs", 1, "before", 0, 0], "x", "distributions.pairs[1].before[0][0]: a"),
    (["utility", "loss"], True, "utility.loss: a number is needed here."),
]


@pytest.mark.parametrize(("place", "value", "sentence"), WRONG)
def test_another_kind_is_refused_with_its_place(
    place: list[str | int], value: Any, sentence: str
) -> None:
    document = read("table-full-domain")
    inside = document
    for step in place[:-1]:
        inside = inside[step]
    inside[place[-1]] = value
    with pytest.raises(InvalidReport) as refused:
        Report.from_document(document)
    assert str(refused.value).startswith(sentence)
    assert str(refused.value).endswith(".")


def test_what_is_no_object_is_refused() -> None:
    with pytest.raises(InvalidReport, match="The report: an object with named entries is needed"):
        Report.from_document(["report"])
