"""Estimates of what a protection would change, from counts stored when the network was read.

The minimal change of the degree sequence follows from the degree distribution (Liu and Terzi's
dynamic program), so the number of changed links is a lower bound for k-degree. For other methods
it is known only after a run, and the estimate says so.
"""

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
from deid_portal.engine.networks import NetworkPlan
from deid_portal.engine.networks.change_estimate import CountedNetwork
from deid_portal.engine.networks.methods import NetworkMethod
from deid_portal.engine.networks.methods.k_degree import least_links_changed
from deid_portal.engine.wording.numbers import percent
from deid_portal.work.timings import ExpectedTime

TRIED = (2, 3, 5, 10, 15, 25, 50)
MOST_TRIED_WORK = 3_000_000
RISING, BOTH_WAYS = "Numbers of links rise", "Rise and fall"


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
    dataset: Dataset, knowledge: str, method: NetworkMethod, k: int
) -> NetworkEstimate:
    """Return the figures known before a run; fast enough to be updated while a slider moves."""
    started = perf_counter()
    changes = method.estimate_changes(_counts_of(dataset))
    changed = EstimatedNumber(changes.label, changes.words, changes.note)
    takes = EstimatedNumber(
        "The run takes", _duration(_expect(dataset, method).seconds), "about, without waiting"
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


def _counts_of(dataset: Dataset) -> CountedNetwork:
    """Return what was counted; networks with directions read long ago lack their degrees."""
    people, links = dataset.rows, dataset.network.links
    if not dataset.network.is_directed:
        return CountedNetwork(people, links, _degrees(dataset))
    counted = np.array(dataset.network.shape.get("degree_pairs", []), np.int64).reshape(-1, 3)
    outs, ins = (np.repeat(counted[:, side], counted[:, 2]).astype(np.int32) for side in (0, 1))
    return CountedNetwork(people, links, outs, ins)


def _degrees(dataset: Dataset) -> NDArray[np.int32]:
    """Return the degrees of all people, without directions."""
    counted = np.array(dataset.network.shape.get("degrees", []), np.int64).reshape(-1, 2)
    return np.repeat(counted[:, 0], counted[:, 1]).astype(np.int32)


def expect_network_run(dataset: Dataset, plan: NetworkPlan) -> ExpectedTime:
    return _expect(dataset, plan.methods[0])


def _expect(dataset: Dataset, method: NetworkMethod) -> ExpectedTime:
    fixed, per = method.usual_seconds
    modelled = fixed + per * dataset.rows / 100_000
    return ExpectedTime(f"network run {method.name}"[:60], modelled, str(dataset.id))


def _duration(seconds: float) -> str:
    return f"{ceil(seconds)}\u00a0s" if seconds < 90 else f"{ceil(seconds / 60)}\u00a0min"


def price_chart(dataset: Dataset, method: NetworkMethod, k: int) -> Chart | None:
    """Draw the least number of changed links for several k; None if it is not known."""
    tried = sorted({own for own in (*TRIED, k) if 2 <= own <= dataset.rows // 2})
    is_counted = method.knows_least_changes and not dataset.network.is_directed
    if not is_counted or not tried or dataset.rows * tried[-1] > MOST_TRIED_WORK:
        return None
    ways = {RISING: False, BOTH_WAYS: True}
    degrees = _degrees(dataset)
    costs = {
        name: [least_links_changed(degrees, own, may_remove=removes) or 0 for own in tried]
        for name, removes in ways.items()
    }
    chosen = BOTH_WAYS if method.may_remove else RISING
    if method.only_adds:
        costs.pop(BOTH_WAYS)
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
