"""What people see of a run at work: how far, how long still, how the best answer came about."""

from itertools import pairwise
from typing import Any

import pytest

from deid_portal.runs.progress_watch import POINTS_KEPT, ProgressWatch, gently, overall


class Told:
    """Remembers what the row would be told, under a clock that the test moves."""

    def __init__(self, expected: float | None = None) -> None:
        self.now = 0.0
        self.news: list[dict[str, Any]] = []
        self.watch = ProgressWatch(self._note, lambda: 321, lambda: self.now, expected)

    def _note(self, done: int, total: int, phase: str, **figures: Any) -> None:
        self.news.append({"phase": phase, "done": done, "total": total, **figures})

    def at(self, seconds: float, done: int, total: int, phase: str, **figures: Any) -> Any:
        self.now = seconds
        self.watch(done, total, phase, **figures)
        return self.news[-1]


def test_each_stage_tells_how_long_it_took() -> None:
    told = Told()
    told.at(0, 0, 1, "read")
    told.at(2, 0, 1, "patterns")
    told.at(3, 0, 1, "search")
    news = told.at(10, 1, 4, "release")
    assert news["seconds"] == {"read": 2.0, "patterns": 1.0, "search": 7.0}
    assert news["memory_mb"] == 321


@pytest.mark.parametrize(
    ("stage", "within", "fraction"),
    [("read", 0, 0), ("search", 0, 0.1), ("search", 1, 0.75), ("store", 1, 1), ("odd", 1, 0)],
)
def test_how_far_a_stage_is(stage: str, within: float, fraction: float) -> None:
    assert overall(stage, within) == fraction


def test_it_never_goes_back_when_a_second_method_begins() -> None:
    told = Told()
    told.at(1, 9, 10, "search")
    assert told.at(2, 0, 10, "protect")["fraction"] == told.news[0]["fraction"]


def test_what_measuring_counts_and_searches_again_is_no_way_back() -> None:
    told = Told()
    told.at(1, 0, 1, "read")
    told.at(2, 2, 4, "measure")
    for phase in ("patterns", "search", "neighbourhood"):
        news = told.at(3, 0, 9, phase)
        assert (news["phase"], news["done"], news["total"]) == ("measure", 2, 4)
    assert told.at(4, 0, 1, "store")["phase"] == "store"


def test_with_an_expectation_time_left_is_told_at_once_and_counts_down() -> None:
    told = Told(expected=10.0)
    shown = [told.at(0, 0, 1, "read")["left"], told.at(1, 0, 1, "patterns")["left"]]
    shown += [told.at(second, second, 10, "search")["left"] for second in (2, 3, 4)]
    assert shown[0] == pytest.approx(10.0)
    assert all(later < sooner for sooner, later in pairwise(shown))


def test_work_that_is_overdue_promises_no_zero() -> None:
    told = Told(expected=2.0)
    told.at(0, 0, 1, "read")
    told.at(9, 0, 4, "measure")
    assert told.at(20, 1, 4, "measure")["left"] > 0


def test_no_time_left_is_promised_from_too_little_work() -> None:
    told = Told()
    told.at(0, 0, 1, "read")
    assert "left" not in told.at(1, 1, 100, "search")
    assert "left" not in told.at(2, 1, 100, "search")
    assert told.at(6, 5, 100, "search")["left"] == pytest.approx(98, abs=1)


def test_steady_work_counts_down_steadily() -> None:
    told = Told()
    told.at(0, 0, 1000, "search")
    shown = [told.at(second, second, 100, "search").get("left") for second in range(6, 100)]
    assert all(later <= sooner for sooner, later in pairwise(shown))
    assert shown[-1] == pytest.approx(1, abs=1)


def test_time_left_may_stand_still_but_climbs_no_faster_than_the_clock() -> None:
    left = 10.0
    for _ in range(20):
        later = gently(left, 1000.0, 0.2)
        assert later is not None
        assert later <= left + 0.2
        left = later


def test_a_search_that_becomes_slower_is_judged_by_its_last_seconds() -> None:
    told = Told()
    told.at(0, 0, 1000, "search")
    told.at(5, 770, 1000, "search")
    for second in range(6, 40):
        news = told.at(second, 770 + second, 1000, "search")
    # One in a thousand per second, and 191 to go; counting from the start it would be 9 seconds.
    assert news["left"] > 20


def test_a_better_estimate_is_believed_within_seconds() -> None:
    left: float | None = 100.0
    for second in range(1, 21):
        left = gently(left, 30.0 - second, 1.0)
    assert left == pytest.approx(10, abs=1)


def test_the_way_to_the_best_answer_is_kept() -> None:
    told = Told()
    told.at(1, 1, 10, "search", best=0.4, bound=0.1)
    told.at(2, 2, 10, "search", best=0.4, bound=0.1)
    told.at(3, 3, 10, "search", best=0.4, bound=0.2)
    news = told.at(4, 4, 10, "search", best=0.3, bound=0.2)
    assert news["trace"] == [[1, 0.4, 0.1], [3, 0.4, 0.2], [4, 0.3, 0.2]]
    assert news["improved"] == 2


def test_a_long_way_is_thinned_and_keeps_its_ends() -> None:
    told = Told()
    for step in range(1000):
        told.at(step, step, 1000, "search", best=1.0, bound=step / 1000)
    trace = told.news[-1]["trace"]
    assert len(trace) <= POINTS_KEPT
    assert (trace[0][0], trace[-1][0]) == (0, 999)


def test_figures_of_the_search_stay_after_it() -> None:
    told = Told()
    told.at(1, 1, 10, "search", nodes=12, best=0.4)
    assert told.at(2, 0, 1, "measure")["nodes"] == 12
