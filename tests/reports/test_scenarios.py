"""The Pareto front of the board: which runs are on it, which dominate others, where its knee is."""

from uuid import UUID

import pytest

from deid_portal.engine.report.summary import AskedProtection, RunSummary
from deid_portal.reports.scenarios import (
    DETAILS,
    RISKS,
    Point,
    Scenario,
    beaten_by,
    bend_of,
    front_of,
    place,
    recommend_scenario,
    title_of_scenarios,
)
from tests.reports.scenarios import make_scenario

AVERAGE, LOSS = RISKS["average"], DETAILS["loss"]


def _points(*pairs: tuple[float, float]) -> list[Point]:
    runs = [make_scenario(n, average=x, loss=y, k=n) for n, (x, y) in enumerate(pairs, start=1)]
    return place(runs, AVERAGE, LOSS)


def _numbers(points: list[Point]) -> list[int]:
    return [point.scenario.number for point in points]


def test_nothing_on_the_line_is_beaten_and_everything_off_it_is() -> None:
    points = _points((0.1, 0.2), (0.01, 0.6), (0.02, 0.3), (0.02, 0.5), (0.05, 0.3), (0.2, 0.2))
    front = front_of(points)
    assert _numbers(front) == [2, 3, 1]
    for point in points:
        assert (beaten_by(point, points) is None) == (point in front)


def test_runs_that_come_to_the_same_are_both_on_the_line() -> None:
    assert _numbers(front_of(_points((0.1, 0.2), (0.1, 0.2)))) == [1, 2]


def test_a_run_is_beaten_by_an_allowed_one_rather_than_by_a_better_one_that_is_not() -> None:
    runs = [
        make_scenario(1, average=0.1, loss=0.5),
        make_scenario(2, average=0.05, loss=0.1, is_allowed=False),
        make_scenario(3, average=0.05, loss=0.4),
    ]
    points = place(runs, AVERAGE, LOSS)
    beaten = next(point for point in points if point.scenario.number == 1)
    best = beaten_by(beaten, points)
    assert best is not None
    assert best.number == 3


def test_the_bend_is_furthest_from_the_straight_line() -> None:
    front = front_of(_points((0.1, 0.1), (0.2, 0.9), (0.9, 0.05), (0.01, 1.0)))
    assert _numbers(front) == [4, 1, 3]
    assert _numbers(bend_of(front)) == [1]
    assert bend_of(front[:2]) == []


def _recommended(pairs: list[tuple[float, float]], forbidden: set[int]) -> tuple[int, str]:
    runs = [
        make_scenario(n, average=x, loss=y, is_allowed=n not in forbidden)
        for n, (x, y) in enumerate(pairs, start=1)
    ]
    found = recommend_scenario(front_of(place(runs, AVERAGE, LOSS)))
    assert found is not None
    return found.scenario.number, found.why


CURVE = [(0.01, 1.0), (0.05, 0.2), (0.2, 0.18), (0.5, 0.15), (0.9, 0.1)]


@pytest.mark.parametrize(
    ("pairs", "forbidden", "number", "why"),
    [
        (CURVE, set(), 2, "allowed, and where the curve bends"),
        (CURVE, {2}, 5, "allowed, and nothing on the line keeps more detail"),
        (CURVE[:2], set(), 2, "allowed, and nothing on the line keeps more detail"),
        (CURVE, {1, 2, 3, 4, 5}, 2, "none is allowed, and where the curve bends"),
    ],
)
def test_one_run_is_recommended_and_it_says_why(
    pairs: list[tuple[float, float]], forbidden: set[int], number: int, why: str
) -> None:
    assert _recommended(pairs, forbidden) == (number, why)


def test_nothing_is_recommended_where_nothing_is() -> None:
    assert recommend_scenario([]) is None


def test_runs_without_numbers_are_not_drawn() -> None:
    asked = AskedProtection(k=5)
    waiting = Scenario(UUID(int=1), 1, RunSummary.telling(asked=asked), is_open=True)
    nothing = Scenario(UUID(int=2), 2, RunSummary.telling(solution=False, asked=asked))
    assert place([waiting, nothing], AVERAGE, LOSS) == []
    assert nothing.summary.solution is False
    assert waiting.label == "k 5"


@pytest.mark.parametrize(
    ("points", "title"),
    [
        ([], "No run has ended with a release yet"),
        (_points((0.1, 0.27)), "One run so far: it loses 0.27 of the detail"),
        (_points((0.1, 0.2), (0.2, 0.1)), "2 allowed runs are worth a look"),
        (_points((0.1, 0.2), (0.2, 0.3)), "One allowed run is worth a look"),
        (
            _points((0.01, 1.0), (0.05, 0.2), (0.9, 0.1)),
            "3 allowed runs are worth a look; the bend of the curve is at k 2",
        ),
    ],
)
def test_the_title_states_the_finding(points: list[Point], title: str) -> None:
    assert title_of_scenarios(points, front_of(points)) == title


def test_the_title_says_when_no_run_is_allowed() -> None:
    runs = [make_scenario(n, average=n / 10, loss=1 - n / 10, is_allowed=False) for n in (1, 2)]
    points = place(runs, AVERAGE, LOSS)
    assert title_of_scenarios(points, points) == (
        "None of the runs on the line meets the team’s policy"
    )


def test_precision_is_turned_round_so_that_less_is_better() -> None:
    scenario = make_scenario(1, loss=0.3)
    assert DETAILS["precision"].value(scenario) == pytest.approx(0.3)


def test_a_run_is_named_by_what_tells_it_from_others() -> None:
    assert make_scenario(1, k=5, limit=0.02).label == "k 5, up to 2\u00a0%"
    assert make_scenario(1, k=5, limit=0.0).label == "k 5, nobody left out"
    assert make_scenario(1, k=5, limit=None).label == "k 5, one level per column"
