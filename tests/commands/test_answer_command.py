"""`manage.py answer`, as somebody at a terminal sees it: exit codes, one sentence, one report."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

PLAN: dict[str, Any] = {
    "plan": 1,
    "privacy": {"neighbours": "add_remove", "delta": 1e-6},
    "domains": {"age": {"low": 0, "high": 100}, "sex": {"values": ["F", "M"]}},
    "queries": [
        {"query": "count", "where": [{"column": "age", "at_least": 65}], "epsilon": 1},
        {"query": "count-by-group", "column": "sex", "accuracy": {"half_width": 5}},
        {"query": "mean", "column": "age", "epsilon": 0.5},
    ],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [f"{17 + number % 80},{'FM'[number % 2]}" for number in range(200)]
    (tmp_path / "table.csv").write_text("\n".join(["age,sex", *rows, ",", "x,F"]))
    return tmp_path


def answer(folder: Path, plan: dict[str, Any], *more: str) -> int:
    (folder / "plan.json").write_text(json.dumps(plan))
    arguments = [str(folder / "table.csv"), "--plan", str(folder / "plan.json"), *more]
    try:
        call_command("answer", *arguments)
    except SystemExit as left:
        return int(left.code or 0)
    return 0


def test_answers_are_printed_with_what_they_cost(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answer(folder, PLAN) == 0
    report = json.loads(capsys.readouterr().out)
    assert [one["query"] for one in report["answers"]] == ["count", "count-by-group", "mean"]
    prices = [one["epsilon"] for one in report["answers"]]
    assert report["spent"]["bounds"]["sequential"]["epsilon"] == pytest.approx(sum(prices))
    assert report["spent"]["epsilon"] <= sum(prices)


def test_the_report_says_nothing_exact_about_the_table(folder: Path) -> None:
    assert answer(folder, PLAN, "--out", str(folder / "new" / "report.json")) == 0
    text = (folder / "new" / "report.json").read_text()
    assert set(json.loads(text)) == {"report", "plan", "engine", "answers", "spent"}
    assert "sha256" not in text
    assert "seed" not in text


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"privacy": {}}, 'privacy: "neighbours" is missing'),
        ({"domains": {"age": {"low": 9, "high": 1}}}, "domains.age: the lowest number"),
        ({"queries": []}, "queries: a list of 1 to 1000 questions"),
        ({"queries": [{"query": "sum", "column": "sex", "epsilon": 1}]}, "queries[0].column: this"),
        ({"seed": 7}, '"seed" is not known here'),
    ],
)
def test_what_is_wrong_is_one_sentence(
    folder: Path, changes: dict[str, Any], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answer(folder, PLAN | changes) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert said.err.startswith(sentence)


def test_a_column_the_table_lacks_is_said_before_anything_is_spent(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    domains = PLAN["domains"] | {"pay": {"low": 0, "high": 1}}
    queries = [*PLAN["queries"], {"query": "sum", "column": "pay", "epsilon": 1}]
    assert answer(folder, PLAN | {"domains": domains, "queries": queries}) == 2
    assert capsys.readouterr().err == "domains.pay: the table has no column of this name.\n"


def test_the_other_commands_say_where_such_a_plan_belongs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "plan.json").write_text(json.dumps(PLAN))
    with pytest.raises(SystemExit):
        call_command("assess", str(folder / "table.csv"), plan=folder / "plan.json")
    assert "the command answer takes it" in capsys.readouterr().err


NETWORK_PLAN: dict[str, Any] = {
    "plan": 1,
    "network": {"id": "name"},
    "privacy": {"protects": "people", "bound": 3, "people": "listed"},
    "domains": {"club": {"values": ["A", "B"]}},
    "queries": [
        {"query": "links", "epsilon": 1},
        {"query": "count-by-group", "column": "club", "epsilon": 1},
    ],
}


@pytest.fixture
def network_folder(tmp_path: Path) -> Path:
    (tmp_path / "table.csv").write_text("from,to\nAda,Bo\nBo,Cy\nCy,Ada\n")
    (tmp_path / "people.csv").write_text("name,club\nAda,A\nBo,B\nCy,A\nDi,B\n")
    return tmp_path


def test_a_plan_about_a_network_asks_about_links_and_people(
    network_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people = str(network_folder / "people.csv")
    assert answer(network_folder, NETWORK_PLAN, "--nodes", people) == 0
    report = json.loads(capsys.readouterr().out)
    assert [one["sensitivity"] for one in report["answers"]] == [3, 1]
    assert {one["protects"] for one in report["answers"]} == {"people"}


def test_what_a_network_does_not_have_is_said_before_anything_is_spent(
    network_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answer(network_folder, NETWORK_PLAN, "--out", str(network_folder / "r.json")) == 2
    assert "no list of people" in capsys.readouterr().err
    assert not (network_folder / "r.json").exists()
