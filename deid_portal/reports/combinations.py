"""The combinations of levels that the search of a run checked, to pick another one and run it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deid_portal.engine.charts.chart import Chart
from deid_portal.engine.charts.figure_parts import as_text, draw_figure, marks
from deid_portal.engine.charts.look import ACCENT, BEFORE, INK, MUTE
from deid_portal.engine.report import Report
from deid_portal.engine.report.exploration import CheckedCombination, Exploration
from deid_portal.engine.utility import METRICS
from deid_portal.engine.wording.numbers import loss, percent, thousands
from deid_portal.engine.wording.words import capital, counted, listed
from deid_portal.plans.changes import SetLevels, write_changes

BANDS = 4  # of as many combinations each, paler from band to band
STRENGTHS = (1.0, 0.68, 0.42, 0.22)
MOST_LISTED = 12
LONGEST_PICK = 400
STEP = 1.0
LARGEST_LOSS = 10.0  # beyond it a metric counts


@dataclass(frozen=True)
class LevelChoice:
    """A column with its levels to choose from: that of the run, and the picked one."""

    column: str
    levels: list[tuple[int, str]]
    own: int
    picked: int

    @property
    def own_words(self) -> str:
        return self.levels[self.own][1]

    @property
    def differs(self) -> bool:
        return self.own != self.picked


@dataclass(frozen=True)
class PickedCombination:
    """What is known of a combination, and the change that runs it."""

    choices: list[LevelChoice]
    sentence: str
    tone: str
    is_own: bool
    change: str


@dataclass(frozen=True)
class ListedCombination:
    pick: str
    value: str
    left_out: str
    words: str
    is_own: bool
    is_picked: bool


@dataclass(frozen=True)
class CombinationsView:
    chart: Chart
    metric: str
    better: str
    picked: PickedCombination
    listed: list[ListedCombination]
    pick: str


def view_combinations(report: Report, asked: Mapping[str, str]) -> CombinationsView | None:
    """Return the combinations with the one picked; None if no search chose among some."""
    exploration = report.exploration
    if exploration is None or not exploration.combinations:
        return None
    own = exploration.levels_of(report.transformation.levels)
    picked = _read_pick(exploration, asked) or own
    return CombinationsView(
        chart=_combinations_chart(report, exploration, own, picked),
        metric=exploration.metric.replace("_", " "),
        better="more" if METRICS[exploration.metric].higher_is_better else "less",
        picked=_describe_pick(report, exploration, own, picked),
        listed=_list_best(report, exploration, own, picked),
        pick=write_pick(picked),
    )


def _read_pick(exploration: Exploration, asked: Mapping[str, str]) -> tuple[int, ...] | None:
    """Read levels from one entry, as a point of the chart sends them, or from one per column."""
    told = asked.get("pick", "")[:LONGEST_PICK].split("-")
    if asked.get("level-0"):
        told = [asked.get(f"level-{place}", "") for place in range(len(exploration.columns))]
    heights = [len(own.levels) - 1 for own in exploration.columns]
    if len(told) != len(heights) or not all(own.isdecimal() and len(own) < 4 for own in told):
        return None
    levels = tuple(map(int, told))
    return levels if all(own <= most for own, most in zip(levels, heights, strict=True)) else None


def write_pick(levels: Sequence[int]) -> str:
    return "-".join(map(str, levels))


def _describe_pick(
    report: Report, exploration: Exploration, own: tuple[int, ...], picked: tuple[int, ...]
) -> PickedCombination:
    tone, sentence = _judge_pick(report, exploration, picked)
    return PickedCombination(
        choices=[
            LevelChoice(column.column, list(enumerate(column.levels)), before, now)
            for column, before, now in zip(exploration.columns, own, picked, strict=True)
        ],
        sentence="This is what the run released." if picked == own else sentence,
        tone="ok" if picked == own else tone,
        is_own=picked == own,
        change=write_changes(SetLevels(exploration.by_column(picked))),
    )


def _judge_pick(
    report: Report, exploration: Exploration, picked: tuple[int, ...]
) -> tuple[str, str]:
    found = exploration.find(picked)
    if found is None:
        return "info", "It was not looked at; running it tells whether every rule holds."
    left_out = _left_out(report, found)
    if found.value is None:
        if found.suppressed > exploration.allowed:
            limit = f"the plan allows {thousands(exploration.allowed)}"
            return "bad", f"It does not satisfy the plan: {left_out} would be left out, {limit}."
        return "bad", "It does not satisfy the plan: a rule about the whole release breaks."
    value = f"{exploration.metric.replace('_', ' ')} {_measured(found)}"
    return "ok", f"It satisfies every rule: {value}, {left_out} left out."


def _left_out(report: Report, found: CheckedCombination) -> str:
    share = percent(found.suppressed / max(report.input.rows, 1))
    return f"{counted(found.suppressed, 'row')} ({share})" if found.suppressed else "nobody"


def _list_best(
    report: Report, exploration: Exploration, own: tuple[int, ...], picked: tuple[int, ...]
) -> list[ListedCombination]:
    best = [found for found in exploration.combinations if found.satisfies][:MOST_LISTED]
    return [
        ListedCombination(
            pick=write_pick(found.levels),
            value=_measured(found),
            left_out=_left_out(report, found),
            words=_difference(exploration, own, found.levels),
            is_own=found.levels == own,
            is_picked=found.levels == picked,
        )
        for found in best
    ]


def _difference(exploration: Exploration, own: Sequence[int], other: Sequence[int]) -> str:
    """Say in which columns a combination differs from that of the run."""
    changed = [
        f"{column.column} {column.levels[now]}"
        for column, before, now in zip(exploration.columns, own, other, strict=True)
        if now != before
    ]
    return listed(changed) or "as released"


def _combinations_chart(
    report: Report, exploration: Exploration, own: tuple[int, ...], picked: tuple[int, ...]
) -> Chart:
    found = exploration.combinations
    places = _place(found)
    traces = [
        _points(report, exploration, group, places, name, marker)
        for name, group, marker in _groups_of(exploration)
        if group
    ]
    for levels, name, symbol, color in (
        (picked, "Picked", "circle-open", INK),
        (own, "This run", "star", BEFORE),
    ):
        combination = exploration.find(levels)
        if combination is not None:
            marker = {"symbol": symbol, "size": 15, "color": color, "line": {"width": 2}}
            traces.append(_points(report, exploration, [combination], places, name, marker))
    figure = draw_figure(
        traces,
        y="Steps of coarsening, all columns together",
        height=380,
        showlegend=True,
        xaxis={"visible": False},
        yaxis={"dtick": STEP, "rangemode": "normal"},
    )
    return Chart(
        id="combinations-chart",
        title=_chart_title(report, exploration),
        caption=(
            "Each mark is a combination of levels the search checked, coarser ones higher; in a "
            "line the best stands left. Press a mark to pick it."
        ),
        figure=figure,
        note=_not_drawn(report, exploration),
    )


def _chart_title(report: Report, exploration: Exploration) -> str:
    checked = report.search.checked if report.search else len(exploration.combinations)
    if exploration.satisfying == 1:
        return f"Of {counted(checked, 'combination')} checked, only this one satisfies the plan"
    return (
        f"Of {counted(checked, 'combination')} checked, {thousands(exploration.satisfying)} "
        f"satisfy the plan"
    )


def _not_drawn(report: Report, exploration: Exploration) -> str:
    search = report.search
    if search is None:
        return ""
    told = []
    if search.checked > len(exploration.combinations):
        told.append(f"The {len(exploration.combinations):,} best of those checked are drawn.")
    ruled_out = search.nodes - search.checked
    if search.optimal and ruled_out > 0:
        told.append(f"The other {ruled_out:,} were ruled out without a look: none can be better.")
    elif ruled_out > 0:
        told.append(f"{ruled_out:,} more were not looked at.")
    return " ".join(told)


def _place(found: Sequence[CheckedCombination]) -> dict[tuple[int, ...], tuple[float, int]]:
    """Place combinations in lines by their sum of levels, in each the best from the left."""
    lines: dict[int, list[CheckedCombination]] = {}
    for combination in found:
        lines.setdefault(sum(combination.levels), []).append(combination)
    return {
        combination.levels: (STEP * (place - (len(line) - 1) / 2), total)
        for total, line in lines.items()
        for place, combination in enumerate(line)
    }


Group = tuple[str, list[CheckedCombination], dict[str, Any]]


def _groups_of(exploration: Exploration) -> list[Group]:
    """Group those that satisfy into a few bands, the best drawn strongest, and the others."""
    found = exploration.combinations
    is_more_better = METRICS[exploration.metric].higher_is_better
    refused = [own for own in found if not own.satisfies]
    groups: list[Group] = [
        ("Does not satisfy", refused, {"symbol": "x-thin-open", "size": 7, "color": MUTE})
    ]
    satisfying = sorted(
        (own for own in found if own.satisfies), key=_value_of, reverse=is_more_better
    )
    for band in range(BANDS):
        cut = [len(satisfying) * edge // BANDS for edge in (band, band + 1)]
        inside = satisfying[slice(*cut)]
        marker = {"symbol": "circle", "size": 10, "color": ACCENT, "opacity": STRENGTHS[band]}
        groups.append((_range_words(inside), inside, marker))
    return groups


def _measured(found: CheckedCombination) -> str:
    """Write losses with the decimals of the report, and counts of pairs or cells as numbers."""
    value = _value_of(found)
    return loss(value) if abs(value) < LARGEST_LOSS else thousands(value)


def _value_of(found: CheckedCombination) -> float:
    return found.value or 0.0


def _range_words(inside: Sequence[CheckedCombination]) -> str:
    ends = [f"{_value_of(own):.3g}" for own in (*inside[:1], *inside[-1:])]
    return " to ".join(dict.fromkeys(ends))


def _points(
    report: Report,
    exploration: Exploration,
    group: Sequence[CheckedCombination],
    places: Mapping[tuple[int, ...], tuple[float, int]],
    name: str,
    marker: Mapping[str, Any],
) -> Any:
    return marks(
        [places[own.levels][0] for own in group],
        [places[own.levels][1] for own in group],
        name=name,
        marker=marker,
        customdata=[write_pick(own.levels) for own in group],
        hovertext=[_hover(report, exploration, own) for own in group],
    )


def _hover(report: Report, exploration: Exploration, found: CheckedCombination) -> str:
    levels = [
        f"{as_text(column.column)}: {as_text(column.levels[level])}"
        for column, level in zip(exploration.columns, found.levels, strict=True)
    ]
    said = "does not satisfy the plan"
    if found.value is not None:
        said = f"{exploration.metric.replace('_', ' ')} {_measured(found)}"
    return "<br>".join([f"{capital(said)}, {_left_out(report, found)} left out", *levels])
