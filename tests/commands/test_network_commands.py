"""Networks at the command line: links in, links out, and one sentence when that cannot be."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from deid_portal.commands.seed_confirmation import CONFIRMATION
from deid_portal.engine.networks.files.reader import read_network
from tests.engine.networks.networks import karate, smallest_degree_class

PLAN: dict[str, Any] = {
    "plan": 1,
    "network": {"directed": False, "id": "name"},
    "columns": {"age": {"role": "insensitive"}},
    "models": [{"model": "k-degree", "k": 3}],
    "method": {"name": "k-degree", "k": 3},
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    links = [f'"member, {a}";"member, {b}"\n' for a, b in karate().pairs.tolist()]
    (tmp_path / "links.csv").write_text("# who trains with whom\n" + "".join(links))
    rows = [f'{20 + node};"member, {node}"\n' for node in range(34)]
    (tmp_path / "people.csv").write_text("age;name\n" + "".join(rows))
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    return {name: str(tmp_path / f"{name}.{kind}") for name, kind in
            (("links", "csv"), ("people", "csv"), ("plan", "json"))}  # fmt: skip


def protect(files: dict[str, str], out: Path, **more: Any) -> None:
    call_command("protect", files["links"], plan=Path(files["plan"]), out=out,
                 nodes=Path(files["people"]), **more)  # fmt: skip


def test_a_network_is_protected(files: dict[str, str], tmp_path: Path) -> None:
    protect(files, tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"release.edges.csv", "release.graphml", "nodes.csv", "report.json"}
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["solution"]
    edges = read_network(tmp_path / "out" / "release.edges.csv")
    graph = read_network(tmp_path / "out" / "release.graphml")
    assert smallest_degree_class(edges) >= 3
    assert (edges.edges, graph.nodes) == (report["network"]["links"]["after"], 34)
    written = "".join(path.read_text() for path in (tmp_path / "out").iterdir())
    assert "member" not in written


def test_charts_of_a_network_are_written(files: dict[str, str], tmp_path: Path) -> None:
    protect(files, tmp_path / "out", charts=True)
    written = {path.name for path in (tmp_path / "out" / "charts").iterdir()}
    names = ("classes", "knowledge", "links-after", "risk")
    assert written == {f"{name}.{kind}" for name in names for kind in ("json", "svg")}
    assert "member" not in "".join(
        path.read_text() for path in (tmp_path / "out" / "charts").iterdir()
    )


@pytest.mark.parametrize(
    ("header", "nodes", "sentence"),
    [
        (None, 4, "The first line was taken for a header: its names occur nowhere else, while"),
        ("yes", 4, ""),
        ("no", 6, ""),
    ],
)
def test_a_guessed_header_is_said_and_an_option_overrides_it(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    header: str | None,
    nodes: int,
    sentence: str,
) -> None:
    (tmp_path / "links.csv").write_text("wer,wen\nann,bob\nbob,cy\ncy,di\ndi,ann\n")
    plan = {"plan": 1, "network": {"directed": False}, "columns": {}, "method": {"name": "none"}}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    links, path = str(tmp_path / "links.csv"), tmp_path / "plan.json"
    call_command("assess", links, plan=path, **({"header": header} if header else {}))
    printed = capsys.readouterr()
    assert json.loads(printed.out)["input"]["rows"] == nodes
    assert printed.err.startswith(sentence)
    assert bool(printed.err) == bool(sentence)
    assert "ann" not in printed.err


def test_what_an_earlier_run_released_goes(files: dict[str, str], tmp_path: Path) -> None:
    protect(files, tmp_path / "out")
    Path(files["plan"]).write_text(json.dumps(PLAN | {"method": {"name": "none"}}))
    with pytest.raises(SystemExit) as left:
        protect(files, tmp_path / "out")
    assert left.value.code == 3
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["report.json"]


def test_assess_prints_a_report(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    call_command("assess", files["links"], plan=Path(files["plan"]), nodes=Path(files["people"]))
    report = json.loads(capsys.readouterr().out)
    assert report["input"] | {"sha256": ""} == {
        "rows": 34, "links": 78, "sha256": "", "patterns": 11
    }  # fmt: skip
    assert not report["solution"]


def test_unusable_input_is_one_sentence_and_nothing_written(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(files["links"]).write_text("a,a\n")
    Path(files["plan"]).write_text(json.dumps({**PLAN, "columns": {}, "colour": 1}))
    with pytest.raises(SystemExit) as left:
        protect(files, tmp_path / "out")
    assert left.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_seed_of_a_network_is_refused_unless_confirmed(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(files["plan"]).write_text(json.dumps(PLAN | {"seed": 3}))
    with pytest.raises(SystemExit) as left:
        protect(files, tmp_path / "out")
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("seed: chance protects people here")
    assert not (tmp_path / "out").exists()
    protect(files, tmp_path / "out", repeatable=CONFIRMATION)
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["randomness"]["repeatable"] is True
