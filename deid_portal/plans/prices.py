"""The cost of hiding among more people: the same plan, estimated for several k.

Besides the chosen suppression limit, a smaller and a larger one are shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.core.cache import cache

from deid_portal.datasets.models import Dataset
from deid_portal.engine.charts.chart import Chart, ChartTable
from deid_portal.engine.charts.figure_parts import draw_figure, polyline
from deid_portal.engine.charts.look import ACCENT, INK_2
from deid_portal.engine.wording.numbers import percent
from deid_portal.plans.composition import ProtectionChoice
from deid_portal.plans.estimation import NoEstimate, estimate_table_run
from deid_portal.plans.services import check_choice

PRICED = (2, 3, 5, 10, 15, 25, 50)
OTHER_LIMITS = (0.02, 0.05, 0.1)
HURRY, MORE_HURRY = 0.5, 0.25
SECONDS_KEPT = 3600
ROWS_FOR_ONE_CURVE = 200_000  # with more, an estimate takes most of a second
DASHES = ("dot", "dash")


@dataclass(frozen=True)
class HidingPrice:
    k: int
    loss: float | None  # None if impossible
    left_out: float


def price_of_hiding(
    dataset: Dataset, choice: ProtectionChoice, hurry: float = HURRY
) -> list[HidingPrice]:
    """Return the cost of each k, smallest first.

    Raises NoEstimate if there is no estimate, InvalidPlan if the choice is invalid. A solution for
    a large k is one for any smaller k, so no k costs more than a larger one, even if a short search
    found nothing better.
    """
    plan = check_choice(dataset, choice)
    chosen = _k_of(choice)
    # The hash covers taxonomies, so the same hash on the same table has the same result, and
    # sliders often return to earlier values.
    key = f"prices-{dataset.table_id}-{plan.sha256}-{hurry}"
    prices: list[HidingPrice] | None = cache.get(key)
    if prices is None:
        prices = _estimate_prices(dataset, choice, chosen, hurry)
        cache.set(key, prices, SECONDS_KEPT)
    return prices


def _estimate_prices(
    dataset: Dataset, choice: ProtectionChoice, chosen: int, hurry: float
) -> list[HidingPrice]:
    prices: list[HidingPrice] = []
    for k in sorted({*PRICED, chosen}, reverse=True):
        if k > dataset.rows:
            continue
        plan = check_choice(dataset, _with_k(choice, k))
        estimate = estimate_table_run(dataset, plan, hurry=hurry)
        price = HidingPrice(k, estimate.loss, estimate.left_out)
        above = prices[-1] if prices else None
        if above is not None and above.loss is not None:
            found_more = price.loss is None or price.loss > above.loss
            price = replace(above, k=k) if found_more else price
        prices.append(price)
    return prices[::-1]


def price_of_other_limits(
    dataset: Dataset, choice: ProtectionChoice
) -> dict[float, list[HidingPrice]]:
    """Return the curves for two other suppression limits, if the method has one."""
    chosen = _limit_of(choice)
    if chosen is None or isinstance(choice.method, list) or dataset.rows > ROWS_FOR_ONE_CURVE:
        return {}
    others = sorted(OTHER_LIMITS, key=lambda limit: abs(limit - chosen))
    others = sorted(limit for limit in others if limit != chosen)[:2]
    method = choice.method
    return {
        limit: price_of_hiding(
            dataset, replace(choice, method={**method, "suppression_limit": limit}), MORE_HURRY
        )
        for limit in others
    }


def _limit_of(choice: ProtectionChoice) -> float | None:
    for method in choice.methods:
        if "suppression_limit" in method:
            return float(method["suppression_limit"])
    return None


def _k_of(choice: ProtectionChoice) -> int:
    for rule in choice.rules:
        if rule["model"] == "k-anonymity":
            return int(rule["k"])
    raise NoEstimate("Other numbers are priced for k-anonymity, and this plan does not ask for it.")


def _with_k(choice: ProtectionChoice, k: int) -> ProtectionChoice:
    rules = [{**rule, "k": k} if rule["model"] == "k-anonymity" else rule for rule in choice.rules]
    return replace(choice, rules=rules)


def chart_of_prices(
    prices: list[HidingPrice],
    choice: ProtectionChoice,
    others: Mapping[float, list[HidingPrice]] | None = None,
) -> Chart:
    chosen, limit = _k_of(choice), _limit_of(choice)
    curves = {"": prices} | {f"{percent(own)} out": line for own, line in (others or {}).items()}
    ks = [price.k for price in prices]
    own_label = f"Lost at {percent(limit)}" if limit is not None else "Detail lost"
    rows = [[own_label, *(_written(price) for price in prices)]]
    for own, line in (others or {}).items():
        by_k = {price.k: price for price in line}
        rows.append([f"at {percent(own)}", *(_written(by_k.get(k)) for k in ks)])
    return Chart(
        id="prices",
        title=_title([price for price in prices if price.loss is not None], chosen),
        caption="Detail lost, 0 none and 1 all, by the number of look-alikes; estimates",
        figure=_figure(curves, chosen, limit),
        table=ChartTable(["Hides among", *(f"{k:,}" for k in ks)], rows),
    )


def _written(price: HidingPrice | None) -> str:
    return "–" if price is None or price.loss is None else f"{price.loss:.2f}"


def _title(possible: list[HidingPrice], chosen: int) -> str:
    losses = {price.k: price.loss for price in possible}
    here = losses.get(chosen)
    if here is None:
        return f"Hiding among {chosen:,} cannot be done"
    dearer = [(k, loss) for k, loss in losses.items() if k > chosen and loss is not None]
    if not dearer:
        return f"Hiding among {chosen:,} costs {here:.2f}"
    k, loss = dearer[0]
    more = "hardly more" if loss - here < 0.005 else f"{loss - here:.2f} more"
    return f"Hiding among {k:,} instead of {chosen:,} would cost {more}"


def _figure(curves: Mapping[str, list[HidingPrice]], chosen: int, limit: float | None) -> Any:
    traces: list[Any] = []
    ends = []
    for place, (label, prices) in enumerate(curves.items()):
        possible = [price for price in prices if price.loss is not None]
        is_own = place == 0
        traces.append(_curve(possible, chosen, None if is_own else DASHES[place - 1]))
        words = f"{percent(limit)} out" if is_own and limit is not None else label
        if possible and words and len(curves) > 1:
            ends.append(_end(prices.index(possible[-1]), possible[-1], words, is_own))
    return draw_figure(
        traces,
        x="Hides among",
        y="Detail lost",
        height=200,
        showlegend=False,
        margin_r=64 if ends else 12,
        annotations=ends,
        yaxis_rangemode="tozero",
    )


def _curve(possible: list[HidingPrice], chosen: int, dash: str | None) -> Any:
    color = ACCENT if dash is None else INK_2
    own: dict[str, Any] = {
        "mode": "lines+markers",
        "marker": {"color": color, "size": [11 if own.k == chosen else 6 for own in possible]},
    }
    return polyline(
        [str(price.k) for price in possible],
        [price.loss for price in possible],
        color=color,
        width=2 if dash is None else 1.5,
        dash=dash or "solid",
        cliponaxis=False,
        hover="Among %{x}: %{y:.2f} lost",
        **(own if dash is None else {}),
    )


def _end(place: int, price: HidingPrice, words: str, is_own: bool) -> dict[str, Any]:
    """Label a line at its end; on a category axis the position is a number."""
    return {
        "x": place,
        "y": price.loss,
        "text": words,
        "showarrow": False,
        "xanchor": "left",
        "xshift": 8,
        "font": {"size": 12, "color": ACCENT if is_own else INK_2},
    }
