"""The program in the help for Python people runs as it stands there."""

import re
from pathlib import Path

import pandas as pd
import pytest

HELP = Path(__file__).parent.parent.parent / "templates" / "help"
PROGRAM = "\n".join(re.findall(r"```python\n(.*?)```", (HELP / "python.md").read_text(), re.DOTALL))


@pytest.fixture(scope="module")
def found() -> dict[str, object]:
    names: dict[str, object] = {}
    exec(compile(PROGRAM, "python.md", "exec"), names)
    return names


def test_the_release_hides_everybody_and_keeps_the_types(found: dict[str, object]) -> None:
    release = found["release"]
    assert isinstance(release, pd.DataFrame)
    assert release.groupby(["zip", "age"], dropna=False).size().min() >= 2
    assert str(release["since"].dtype) == "datetime64[us]"
    assert "name" not in release


def test_the_charts_say_what_they_show(found: dict[str, object]) -> None:
    charts = found["charts"]
    assert isinstance(charts, dict)
    assert {"loss", "classes"} <= set(charts)
    assert all(chart.layout.title.text for chart in charts.values())


def test_the_frame_comes_back(found: dict[str, object]) -> None:
    again, people = found["again"], found["people"]
    assert isinstance(again, pd.DataFrame)
    assert isinstance(people, pd.DataFrame)
    pd.testing.assert_frame_equal(again, people)


def test_the_network_leaves_with_as_many_links(found: dict[str, object]) -> None:
    shown = found["shown"]
    assert isinstance(shown, pd.DataFrame)
    assert shown.columns.tolist() == ["source", "target"]
    assert len(shown) == 6
