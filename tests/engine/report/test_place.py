"""A place in a report has the path that its attributes spell, and none that is misspelt."""

import json
from pathlib import Path
from typing import Any

import pytest

from deid_portal.engine.report import Report
from deid_portal.engine.report.place import ReportPlace, split_path
from deid_portal.engine.verification.printed_numbers import find_number

FOLDER = Path(__file__).parents[2] / "data" / "reports"
HIGHEST = ReportPlace.at(lambda report: report.risk.after.prosecutor.highest)
LOWEST_BAND = ReportPlace.at(lambda report: report.risk.after.bands[0].from_)
LINKS = ReportPlace.at(lambda report: report.network.links.after if report.network else None)
REACHED = ReportPlace.at(lambda report: (report.models[0].achieved or {})["k"])


def opened(name: str, view: str = "whole") -> Report:
    return Report.from_document(json.loads((FOLDER / f"{name}.json").read_text())[view])


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (HIGHEST, "risk.after.prosecutor.highest"),
        (LOWEST_BAND, "risk.after.bands.0.from"),
        (LINKS, "network.links.after"),
        (REACHED, "models.0.achieved.k"),
    ],
)
def test_the_path_is_spelled_by_the_attributes(place: ReportPlace, path: str) -> None:
    assert place.path == path


@pytest.mark.parametrize("place", [HIGHEST, LOWEST_BAND, REACHED])
def test_the_number_is_the_one_the_document_has_there(place: ReportPlace) -> None:
    report = opened("table-full-domain")
    assert place.number_in(report) is not None
    assert place.number_in(report) == find_number(written(report), place.path)


def test_a_network_has_places_that_a_table_lacks() -> None:
    network, table = opened("network-k-degree"), opened("table-full-domain")
    assert LINKS.number_in(network) == find_number(written(network), "network.links.after") > 0
    assert LINKS.number_in(table) is None


def test_what_is_not_told_has_no_number() -> None:
    private = opened("table-dp-table", "published")
    assert not private.tells("utility")
    assert ReportPlace.at(lambda report: report.utility.loss).number_in(private) is None


def test_a_column_may_have_a_dot_in_its_name() -> None:
    place = ReportPlace.at(lambda report: report.columns["a.b"].loss)
    assert place.path == "columns\x1fa.b\x1floss"
    assert split_path(place.path) == ["columns", "a.b", "loss"]


@pytest.mark.parametrize(
    "read",
    [
        lambda report: report.risk.after.prosecutor.higest,
        lambda report: report.rik.after,
        lambda report: report.rows.released.more,
        lambda report: report.risk["after"].marketer,
        lambda report: report.columns["age"].los,
    ],
)
def test_a_misspelt_name_is_refused_at_once(read: Any) -> None:
    with pytest.raises(AttributeError):
        ReportPlace.at(read)


def written(report: Report) -> Any:
    return json.loads(json.dumps(report.to_document()))
