"""The scenario board of a dataset: its runs, and the comparison of two pinned ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.permissions import can_see_values
from deid_portal.policies.gates import check_gates, failing
from deid_portal.policies.rules import Rules
from deid_portal.policies.selectors import policy_in_force
from deid_portal.reports.run_comparison import Comparison, compare
from deid_portal.reports.scenarios import (
    DETAILS,
    RISKS,
    Point,
    Scenario,
    ScenarioAxis,
    ScenarioRecommendation,
    beaten_by,
    front_of,
    place,
    recommend_scenario,
    usual_detail,
)
from deid_portal.reports.subjects import ReportedSubject
from deid_portal.reports.visibility import summary_seen
from deid_portal.runs.models import Run
from deid_portal.runs.promotion import promoted_run
from deid_portal.runs.selectors import runs_for_board

MOST_RUNS = 500
USUAL_RISK = "average"


def scenarios_of(dataset: Dataset, person: User) -> list[Scenario]:
    """Return the runs of a dataset as the board shows them to a person, newest first.

    No report is opened.
    """
    sees_values = can_see_values(person, dataset)
    rules = policy_in_force(dataset.team).rules
    promoted = promoted_run(dataset)
    return [
        replace(
            _scenario(run, rules, sees_values=sees_values),
            is_promoted=promoted is not None and promoted.id == run.id,
        )
        for run in runs_for_board(dataset)[:MOST_RUNS]
    ]


def _scenario(run: Run, rules: Rules, *, sees_values: bool) -> Scenario:
    """Judge a run by its full summary, but show only what the viewer may see."""
    fails = failing(check_gates(rules, run.summary)) if run.summary.solution else []
    has = fails[0].has_for(sees_values=sees_values) if fails else ""
    return ReportedSubject.of(run.dataset).scenario(
        id=run.id,
        number=run.number,
        summary=summary_seen(run, sees_values=sees_values),
        is_open=run.is_open,
        is_allowed=not fails,
        why_not=f"{fails[0].asks}: {has}" if fails else "",
        falls_short=has,
        origin=run.origin_words,
    )


@dataclass(frozen=True)
class BoardRow:
    """A row of the table: the run, and how it compares with the others."""

    scenario: Scenario
    risk: str
    detail: str
    standing: str
    on_the_line: bool = False


@dataclass(frozen=True)
class Board:
    scenarios: Sequence[Scenario]
    risk: ScenarioAxis
    detail: ScenarioAxis
    wanted_a: int | None = None
    wanted_b: int | None = None

    @classmethod
    def read(cls, scenarios: Sequence[Scenario], asked: Mapping[str, str]) -> "Board":
        """Read the query parameters; unknown values are replaced by defaults.

        `auto` names a run that was shown as A only because it was recommended or promoted. If it is
        still A and nothing is pinned as B, it does not count as pinned.
        """
        a, b = _number(asked.get("a", "")), _number(asked.get("b", ""))
        if b is None and a == _number(asked.get("auto", "")):
            a = None
        return cls(
            scenarios,
            RISKS.get(asked.get("risk", ""), RISKS[USUAL_RISK]),
            DETAILS.get(asked.get("detail", "")) or usual_detail(scenarios),
            a,
            b,
        )

    @property
    def cost_title(self) -> str:
        return (self.scenarios[0] if self.scenarios else Scenario).cost_title

    @cached_property
    def points(self) -> list[Point]:
        return place(self.scenarios, self.risk, self.detail)

    @cached_property
    def front(self) -> list[Point]:
        return front_of(self.points)

    @property
    def open(self) -> list[Scenario]:
        return [own for own in self.scenarios if own.is_open]

    @property
    def ended(self) -> int:
        return len(self.scenarios) - len(self.open)

    @cached_property
    def a(self) -> Scenario | None:
        """The run shown as A: the pinned one, else the promoted or the recommended one."""
        return self._find(self.wanted_a) or next(
            (own for own in (self._promoted, self._recommended) if own and own != self.b), None
        )

    @property
    def why_a(self) -> str:
        """Say why a run that nobody pinned is shown as A."""
        if self.a is None or self.a_is_pinned:
            return ""
        recommended = self.recommendation
        is_recommended = recommended is not None and recommended.scenario == self.a
        return f"Recommended: {recommended.why}" if recommended and is_recommended else "Promoted"

    @cached_property
    def b(self) -> Scenario | None:
        found = self._find(self.wanted_b)
        return found if found is None or found.number != self.wanted_a else None

    @property
    def a_is_pinned(self) -> bool:
        return self._find(self.wanted_a) is not None

    @property
    def _promoted(self) -> Scenario | None:
        return next((own for own in self.scenarios if own.is_promoted), None)

    @cached_property
    def recommendation(self) -> ScenarioRecommendation | None:
        return recommend_scenario(self.front)

    @property
    def _recommended(self) -> Scenario | None:
        return self.recommendation.scenario if self.recommendation else None

    def _find(self, number: int | None) -> Scenario | None:
        return next((own for own in self.scenarios if own.number == number), None)

    @cached_property
    def comparison(self) -> Comparison | None:
        if self.a is None or self.b is None or not (self.a.has_numbers and self.b.has_numbers):
            return None
        return compare(self.a, self.b)

    @property
    def beaten_notes(self) -> list[tuple[str, Scenario, str]]:
        """Return the pinned runs that are dominated, each with the better run and its advantage."""
        notes = []
        for letter, own in (("A", self.a), ("B", self.b)):
            point = next((point for point in self.points if point.scenario is own), None)
            better = beaten_by(point, self.points) if point is not None else None
            if point is not None and better is not None:
                notes.append((letter, better, self._in_what(point, better)))
        return notes

    def _in_what(self, point: Point, better: Scenario) -> str:
        risk, detail = self.risk.value(better), self.detail.value(better)
        said = []
        if risk is not None and risk < point.risk:
            said.append("leaves out fewer rows" if self.risk.name == "left-out" else "less risk")
        if detail is not None and detail < point.detail:
            said.append("loses less detail")
        words = " and ".join(said)
        return f"has {words}" if words.startswith("less risk") else words

    @property
    def rows(self) -> list[BoardRow]:
        points = {point.scenario.number: point for point in self.points}
        on_the_line = {point.scenario.number for point in self.front}
        return [
            self._row(own, points.get(own.number), own.number in on_the_line)
            for own in self.scenarios
        ]

    def _row(self, own: Scenario, point: Point | None, on_the_line: bool) -> BoardRow:
        if point is None:
            standing = "still running" if own.is_open else "no solution"
            return BoardRow(own, "–", "–", standing)
        if on_the_line:
            standing = "on the line"
        else:
            better = beaten_by(point, self.front)
            standing = f"beaten by run {better.number}" if better else ""
        if not own.is_allowed:
            standing = f"{standing}, not allowed"
        return BoardRow(
            own, self.risk.written(own), self.detail.written(own), standing, on_the_line
        )


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 9 else None
