"""Runs of a dataset as points of risk and loss: the Pareto front and its knee.

Pure functions of summaries (`runs/summaries.py`); no report is opened here.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar
from uuid import UUID

from deid_portal.engine.methods import METHODS
from deid_portal.engine.networks.methods import NETWORK_METHODS
from deid_portal.engine.report.network import LinkCounts
from deid_portal.engine.report.summary import AskedProtection, RunSummary
from deid_portal.engine.utility import METRICS
from deid_portal.engine.wording.numbers import percent

ROUNDING = 1e-12
NOTABLE_SHARE = 0.0005  # a smaller difference is rounding, not a reason to choose
CURVE = 5  # least number of points on the front for which its knee is meaningful
NEAR_THE_BEND = 0.9  # share of the largest distance from the straight line


@dataclass(frozen=True)
class ScenarioCost:
    """What a run removed: people, or links of a network."""

    title: str
    words: str
    share: float  # less is better
    notable: float  # a smaller difference counts as none
    kept: int
    kept_words: str  # "A keeps 3 more rows"


@dataclass(frozen=True)
class Scenario:
    """One run as the board shows it; open runs and runs without a solution have no numbers."""

    kinds_of_methods: ClassVar[Mapping[str, Any]] = METHODS
    leaves_people_out: ClassVar[bool] = True
    cost_title: ClassVar[str] = "Left out"
    shape_means: ClassVar[str] = "share of rows that may be left out"

    id: UUID
    number: int
    summary: RunSummary
    is_open: bool = False
    is_allowed: bool = True
    why_not: str = ""  # the first gate of the policy that it fails
    falls_short: str = ""  # the figure by which it fails that gate
    is_promoted: bool = False
    origin: str = ""

    @property
    def has_numbers(self) -> bool:
        return bool(self.summary.solution) and not self.is_open

    @property
    def _asked(self) -> AskedProtection:
        return self.summary.asked

    @property
    def k(self) -> int | None:
        return self._asked.k

    @property
    def limit(self) -> float | None:
        return self._asked.limit

    @property
    def methods(self) -> str:
        kinds = self.kinds_of_methods
        return ", then ".join(kinds[name].title for name in self._asked.methods if name in kinds)

    @property
    def shape(self) -> float | str | None:
        """What the shapes on the chart distinguish, besides k."""
        return self.limit

    @property
    def label(self) -> str:
        """A short description that distinguishes this run from others: "k 5, up to 2 %"."""
        hides = f"k {self.k:,}" if self.k else "no k"
        rest = self.methods.lower() if self.limit is None else limit_words(self.limit)
        return f"{hides}, {rest}" if rest else hides

    @cached_property
    def highest_risk(self) -> float:
        return self.summary.risk.after.prosecutor.highest

    @cached_property
    def average_risk(self) -> float:
        return self.summary.risk.after.prosecutor.average

    @property
    def cost(self) -> ScenarioCost:
        return ScenarioCost(
            title="Rows left out",
            words=f"{self.rows_left_out:,} ({percent(self.share_left_out)})",
            share=self.share_left_out,
            notable=NOTABLE_SHARE,
            kept=-self.rows_left_out,
            kept_words="{} keeps {count} more row{s}",
        )

    @property
    def cost_figure(self) -> str:
        return f"{self.rows_left_out:,}"

    @property
    def cost_words(self) -> str:
        return f"{self.rows_left_out:,} left out"

    @property
    def rows_left_out(self) -> int:
        return self.summary.rows.suppressed

    @property
    def share_left_out(self) -> float:
        return self.rows_left_out / max(self.rows, 1)

    @property
    def rows(self) -> int:
        rows = self.summary.rows
        return rows.released + rows.suppressed

    @property
    def loss(self) -> float | None:
        """The loss; without row access only if it follows from release and published plan."""
        return self.summary.utility.loss

    @property
    def precision(self) -> float | None:
        return self.summary.utility.precision

    @property
    def lost_words(self) -> str:
        """The loss, or the precision in its place: "loss 0.1234"."""
        if self.loss is not None:
            return f"loss {self.loss:.4f}"
        return "loss not told" if self.precision is None else f"precision {self.precision:.4f}"

    @property
    def groups(self) -> int:
        return self.summary.classes.count

    @property
    def smallest_group(self) -> int:
        return self.summary.classes.smallest


@dataclass(frozen=True)
class NetworkScenario(Scenario):
    """A run of a network: nobody is left out, links are changed."""

    kinds_of_methods: ClassVar[Mapping[str, Any]] = NETWORK_METHODS
    leaves_people_out: ClassVar[bool] = False
    cost_title: ClassVar[str] = "Links changed"
    shape_means: ClassVar[str] = "the method"

    @property
    def methods(self) -> str:
        removes = any("additions-deletions" in way for way in self._asked.way or ())
        return f"{super().methods}, adding and removing" if removes else super().methods

    @property
    def shape(self) -> float | str | None:
        return self.methods

    @property
    def _links(self) -> LinkCounts | None:
        return self.summary.network.links if self.summary.network else None

    @property
    def cost_figure(self) -> str:
        """The number of links added or removed; unknown if all links are synthetic."""
        links = self._links
        if links is None or links.added is None or links.removed is None:
            return "made up anew"
        return f"{links.added + links.removed:,}"

    @property
    def cost_words(self) -> str:
        return f"links changed: {self.cost_figure}"

    @property
    def cost(self) -> ScenarioCost:
        """Runs are compared by the number of unchanged links; a release of groups has none."""
        kept = (self._links.kept if self._links else None) or 0
        return ScenarioCost(
            title=self.cost_title,
            words=self.cost_figure,
            share=-kept,
            notable=0,
            kept=kept,
            kept_words="{} keeps {count} more link{s} as they were",
        )


def limit_words(limit: float) -> str:
    return "nobody left out" if limit == 0 else f"up to {percent(limit)}"


@dataclass(frozen=True)
class ScenarioAxis:
    """A figure that can be chosen for an axis of the chart; smaller is better."""

    name: str
    label: str  # on the button
    title: str  # at the chart
    value: Callable[[Scenario], float | None]
    is_share: bool = True
    is_log: bool = False

    def written(self, scenario: Scenario) -> str:
        value = self.value(scenario)
        if value is None:
            return "–"
        return percent(value) if self.is_share else f"{value:,.4g}"


RISKS = {
    axis.name: axis
    for axis in (
        ScenarioAxis(
            "highest", "Highest risk", "Highest risk", lambda own: own.highest_risk, is_log=True
        ),
        ScenarioAxis(
            "average", "Average risk", "Average risk", lambda own: own.average_risk, is_log=True
        ),
        ScenarioAxis("left-out", "Left out", "Rows left out", lambda own: own.share_left_out),
    )
}


def _detail(name: str) -> ScenarioAxis:
    metric = METRICS[name]
    label = metric.lost_title

    def value(scenario: Scenario) -> float | None:
        found = scenario.summary.utility.value_of(name)
        if found is None:
            return None
        return float(1 - found if metric.higher_is_better else found)

    return ScenarioAxis(name, label, f"Detail lost ({label})", value, is_share=False)


DETAILS = {
    axis.name: axis
    for axis in map(
        _detail, ("loss", "precision", "entropy", "average_class_size", "discernibility")
    )
}


def axes_for(scenarios: Sequence[Scenario]) -> tuple[list[ScenarioAxis], list[ScenarioAxis]]:
    """Return the choices for both axes.

    Networks have no suppression and fewer measures of loss. Before a run has ended all measures are
    offered.
    """
    measured = [own for own in scenarios if own.has_numbers]
    risks = [
        axis
        for axis in RISKS.values()
        if axis.name != "left-out" or all(own.leaves_people_out for own in scenarios)
    ]
    details = [
        axis
        for axis in DETAILS.values()
        if not measured or any(axis.value(own) is not None for own in measured)
    ]
    return risks, details


def usual_detail(scenarios: Sequence[Scenario]) -> ScenarioAxis:
    """Return the first measure of detail that is told of every run, so that none is missing."""
    measured = [own for own in scenarios if own.has_numbers]
    for axis in DETAILS.values():
        if all(axis.value(own) is not None for own in measured):
            return axis
    return DETAILS["loss"]


@dataclass(frozen=True)
class Point:
    """A run on the chart."""

    scenario: Scenario
    risk: float
    detail: float

    def beats(self, other: "Point") -> bool:
        """Say whether this point dominates another: no worse on both axes, better on one."""
        no_worse = self.risk <= other.risk + ROUNDING and self.detail <= other.detail + ROUNDING
        better = self.risk < other.risk - ROUNDING or self.detail < other.detail - ROUNDING
        return no_worse and better


def place(scenarios: Iterable[Scenario], risk: ScenarioAxis, detail: ScenarioAxis) -> list[Point]:
    """Return the runs that have both figures, by increasing risk."""
    points = []
    for scenario in scenarios:
        if scenario.has_numbers:
            x, y = risk.value(scenario), detail.value(scenario)
            if x is not None and y is not None:
                points.append(Point(scenario, x, y))
    return sorted(points, key=lambda own: (own.risk, own.detail, own.scenario.number))


def front_of(points: Sequence[Point]) -> list[Point]:
    """Return the Pareto front of points sorted by risk, in one pass."""
    front: list[Point] = []
    for point in points:
        # Only earlier points can dominate this one; if any does, the last one of the front does.
        if not front or not front[-1].beats(point):
            front.append(point)
    return front


def beaten_by(point: Point, points: Iterable[Point]) -> Scenario | None:
    """Return a run that dominates this one, preferably one that the policy allows."""
    better = [other for other in points if other.beats(point)]
    best = min(
        better,
        key=lambda own: (not own.scenario.is_allowed, own.detail, own.risk, own.scenario.number),
        default=None,
    )
    return best.scenario if best is not None else None


def bend_of(front: Sequence[Point]) -> list[Point]:
    """Return the knee: the points furthest below the straight line between the ends of the front.

    Beyond this point, further loss of detail hardly lowers the risk. Distances use risk itself,
    not its logarithm, even if the axis is logarithmic. Points at about the same distance are all
    returned.
    """
    if len(front) < 3:
        return []
    across, up = [point.risk for point in front], [point.detail for point in front]
    width, height = across[-1] - across[0], up[0] - up[-1]
    if width <= 0 or height <= 0:
        return []
    below = [
        1 - (x - across[0]) / width - (y - up[-1]) / height for x, y in zip(across, up, strict=True)
    ]
    furthest = max(below)
    if furthest <= 0:
        return []
    return [
        point for point, far in zip(front, below, strict=True) if far >= NEAR_THE_BEND * furthest
    ]


@dataclass(frozen=True)
class ScenarioRecommendation:
    scenario: Scenario
    why: str


def recommend_scenario(front: Sequence[Point]) -> ScenarioRecommendation | None:
    """Return the recommended run: allowed, at the knee if the front has one, else least loss."""
    allowed = [point for point in front if point.scenario.is_allowed]
    chosen = allowed or list(front)
    if not chosen:
        return None
    bend = bend_of(chosen) if count_places(chosen) >= CURVE else []
    found = min(bend or chosen, key=lambda own: own.detail)
    first = "allowed, and" if allowed else "none is allowed, and"
    second = "where the curve bends" if bend else "nothing on the line keeps more detail"
    return ScenarioRecommendation(found.scenario, f"{first} {second}")


def count_places(points: Iterable[Point]) -> int:
    """Count different points."""
    return len({(round(own.risk, 9), round(own.detail, 9)) for own in points})


def title_of_scenarios(points: Sequence[Point], front: Sequence[Point]) -> str:
    """State the finding of the chart; runs at the same point count once."""
    if not points:
        return "No run has ended with a release yet"
    if len(points) == 1:
        own = points[0].scenario
        if own.loss is None:
            return f"One run so far: {own.lost_words}"
        return f"One run so far: it loses {own.loss:.2f} of the detail"
    allowed = [point for point in front if point.scenario.is_allowed]
    if not allowed:
        return "None of the runs on the line meets the team’s policy"
    count = count_places(allowed)
    lead = "One allowed run is" if count == 1 else f"{count} allowed runs are"
    hides = sorted({own.scenario.k for own in bend_of(front) if own.scenario.k})
    if not hides:
        return f"{lead} worth a look"
    where = f"k {hides[0]:,}" if len(hides) == 1 else f"k {hides[0]:,} to {hides[-1]:,}"
    return f"{lead} worth a look; the bend of the curve is at {where}"
