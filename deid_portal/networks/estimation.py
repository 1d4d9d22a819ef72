"""Estimates of what a protection would change, from counts stored when the network was read.

The minimal change of the degree sequence follows from the degree distribution (Liu and Terzi's
dynamic program), so the number of changed links is a lower bound for k-degree. For other methods
it is known only after a run, and the estimate says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.datasets.models import Dataset
from deid_portal.engine.charts.chart import Chart, ChartTable
from deid_portal.engine.charts.figure_parts import draw_figure, polyline
from deid_portal.engine.charts.look import ACCENT, INK_2
from deid_portal.engine.networks.changing.degree_sequences import find_optimal_degrees
from deid_portal.engine.wording.numbers import percent

MOST_WORK = 30_000_000  # people times k; above, the estimate takes too long
TRIED = (2, 3, 5, 10, 15, 25, 50)
MOST_TRIED_WORK = 3_000_000
# Seconds of a run: fixed, and per hundred thousand people; measured in `tests/benchmarks`.
USUAL_SECONDS = {
    "k-degree": (1.0, 6.0),
    "k-neighbourhood": (1.0, 120.0),
    "k-grouping": (1.0, 20.0),
}
OTHER_SECONDS = (1.0, 5.0)


@dataclass(frozen=True)
class EstimatedNumber:
    label: str
    words: str
    note: str


@dataclass(frozen=True)
class NetworkEstimate:
    numbers: list[EstimatedNumber]
    note: str
    milliseconds: int


def estimate_network_run(
    dataset: Dataset, knowledge: str, method: Mapping[str, Any], k: int
) -> NetworkEstimate:
    """Return the figures known before a run; fast enough to be updated while a slider moves."""
    started = perf_counter()
    changed = _links_changed(dataset, method, k)
    takes = EstimatedNumber(
        "The run takes", _duration(_seconds(dataset, method)), "about, without waiting"
    )
    numbers = [_stand_out(dataset, knowledge, k), changed, takes]
    note = f"From the counts of {dataset.rows:,} people"
    return NetworkEstimate(numbers, note, ceil(1000 * (perf_counter() - started)))


def _stand_out(dataset: Dataset, knowledge: str, k: int) -> EstimatedNumber:
    below = count_below(dataset, knowledge, k)
    if below is None:
        return EstimatedNumber("Too easily found now", "–", "counted by the run")
    note = f"{percent(below / max(dataset.rows, 1))}, hide among fewer than {k:,}"
    return EstimatedNumber("Too easily found now", f"{below:,}", note)


def count_below(dataset: Dataset, knowledge: str, k: int) -> int | None:
    """Return the number of people in classes smaller than k; None if it was not counted."""
    sizes = dataset.network.shape.get("sizes", {}).get(knowledge)
    if sizes is None:
        return None
    return int(sum(size * groups for size, groups in sizes if size < k))


def _links_changed(dataset: Dataset, method: Mapping[str, Any], k: int) -> EstimatedNumber:
    links, label = dataset.network.links, "Links changed"
    name, share = method["name"], method.get("share")
    if name == "k-degree":
        least = least_links_changed(dataset, k, may_remove=_may_remove(method))
        if least is not None:
            return EstimatedNumber(
                label, f"{least:,}", f"at least; {_of(least, links)} of all links"
            )
    if name in ("attributes", "none"):
        return EstimatedNumber(label, "0", "links stay as they are")
    if name == "k-grouping":
        return EstimatedNumber(
            "Groups", f"{dataset.rows // max(k, 1):,}", "at most; every link is drawn anew"
        )
    if share is not None:
        return EstimatedNumber(
            label, f"{round(share * links):,}", f"about; {percent(share)} of all links"
        )
    if name == "private-degrees":
        return EstimatedNumber(label, "–", "no link leaves, only noisy counts")
    return EstimatedNumber(label, "–", "known after the run")


def _of(part: int, whole: int) -> str:
    return percent(part / whole) if whole else percent(0)


def _may_remove(method: Mapping[str, Any]) -> bool:
    return bool(method.get("changes") == "additions-deletions")


def least_links_changed(dataset: Dataset, k: int, *, may_remove: bool) -> int | None:
    """Return a lower bound of the links that k-degree changes; None if it is not known.

    It is half the minimal change of degrees, rounded up, since every link has two ends. Not for
    directed links, which have two degrees per person.
    """
    degrees = _degrees(dataset)
    if not len(degrees) or k > len(degrees) or len(degrees) * k > MOST_WORK:
        return None
    best = find_optimal_degrees(degrees, k, may_remove=may_remove)
    return None if best is None else (best.cost + 1) // 2


def _degrees(dataset: Dataset) -> NDArray[np.int32]:
    """Return the degrees of all people; empty if links are directed."""
    if dataset.network.is_directed:
        return np.zeros(0, np.int32)
    counted = np.array(dataset.network.shape.get("degrees", []), np.int64).reshape(-1, 2)
    return np.repeat(counted[:, 0], counted[:, 1]).astype(np.int32)


def _seconds(dataset: Dataset, method: Mapping[str, Any]) -> float:
    """Estimate the time from the last run with this method on this network, else from its size."""
    for run in dataset.runs.filter(status="finished").only("summary", "started_at", "finished_at")[
        :5
    ]:
        if method["name"] in run.summary.asked.methods:
            return float(run.elapsed_seconds)
    fixed, per = USUAL_SECONDS.get(method["name"], OTHER_SECONDS)
    return fixed + per * dataset.rows / 100_000


def _duration(seconds: float) -> str:
    return f"{ceil(seconds)}\u00a0s" if seconds < 90 else f"{ceil(seconds / 60)}\u00a0min"


def price_chart(dataset: Dataset, method: Mapping[str, Any], k: int) -> Chart | None:
    """Draw the least number of changed links for several k; None if it is not known."""
    tried = sorted({own for own in (*TRIED, k) if 2 <= own <= dataset.rows // 2})
    is_counted = method["name"] == "k-degree" and not dataset.network.is_directed
    if not is_counted or not tried or dataset.rows * tried[-1] > MOST_TRIED_WORK:
        return None
    ways = {"Adding": False, "Adding and removing": True}
    costs = {
        name: [least_links_changed(dataset, own, may_remove=removes) or 0 for own in tried]
        for name, removes in ways.items()
    }
    chosen = "Adding and removing" if _may_remove(method) else "Adding"
    if method.get("realization") == "supergraph":
        costs.pop("Adding and removing")
    return Chart(
        id="prices",
        title=_title_of_prices(tried, costs, chosen, k),
        caption="Fewest links to change, by the number of look-alikes",
        figure=_figure(tried, costs, chosen, k),
        table=ChartTable(
            ["Hides among", *(f"{own:,}" for own in tried)],
            [[name, *(f"{cost:,}" for cost in own)] for name, own in costs.items()],
        ),
    )


def _title_of_prices(tried: list[int], costs: dict[str, list[int]], chosen: str, k: int) -> str:
    own = dict(zip(tried, costs[chosen], strict=True))
    dearer = [other for other in tried if other > k]
    if k in own and dearer:
        more = own[dearer[0]] - own[k]
        return (
            f"Hiding among {dearer[0]:,} instead of {k:,} would change at least {more:,} links more"
        )
    return "Hiding among more people changes more links"


def _figure(tried: list[int], costs: dict[str, list[int]], chosen: str, k: int) -> Any:
    sizes = [11 if other == k else 6 for other in tried]
    traces = [
        polyline(
            [f"{other:,}" for other in tried],
            own,
            name=name,
            color=color,
            dash="solid" if name == chosen else "dot",
            mode="lines+markers" if name == chosen else "lines",
            marker={"color": color, "size": sizes},
            cliponaxis=False,
            hover="Among %{x}: at least %{y:,}",
        )
        for name, own in costs.items()
        for color in [ACCENT if name == chosen else INK_2]
    ]
    return draw_figure(traces, x="Hides among", y="Links", height=220, yaxis_rangemode="tozero")
