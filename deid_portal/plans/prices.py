"""What hiding among more people costs: the same plan, estimated for several k."""

from dataclasses import dataclass, replace
from typing import Any

from deid_portal.datasets.models import Dataset
from deid_portal.plans.composition import Choice
from deid_portal.plans.estimation import NoEstimate, estimate_run
from deid_portal.plans.services import check_choice

PRICED = (2, 3, 5, 10, 15, 25, 50)
HURRY = 0.5


@dataclass(frozen=True)
class Price:
    k: int
    loss: float | None  # None where it cannot be done
    left_out: float


def price_of_hiding(dataset: Dataset, choice: Choice) -> list[Price]:
    """Return what each k costs, smallest first.

    Raises NoEstimate where that cannot be told, InvalidPlan where the choice makes no sense.

    What hides people among many hides them among fewer too, so nothing costs more than what is
    above it, even where a short search found less.
    """
    check_choice(dataset, choice)
    chosen = _k_of(choice)
    prices: list[Price] = []
    for k in sorted({*PRICED, chosen}, reverse=True):
        if k > dataset.rows:
            continue
        plan = check_choice(dataset, _with_k(choice, k))
        estimate = estimate_run(dataset, plan, hurry=HURRY)
        price = Price(k, estimate.loss, estimate.left_out)
        above = prices[-1] if prices else None
        if above is not None and above.loss is not None:
            found_more = price.loss is None or price.loss > above.loss
            price = replace(above, k=k) if found_more else price
        prices.append(price)
    return prices[::-1]


def _k_of(choice: Choice) -> int:
    for rule in choice.rules:
        if rule["model"] == "k-anonymity":
            return int(rule["k"])
    raise NoEstimate("Other numbers are priced for k-anonymity, and this plan does not ask for it.")


def _with_k(choice: Choice, k: int) -> Choice:
    rules = [{**rule, "k": k} if rule["model"] == "k-anonymity" else rule for rule in choice.rules]
    return replace(choice, rules=rules)


def chart_of_prices(prices: list[Price], choice: Choice) -> dict[str, Any]:
    """Return id, title, caption, figure and table of the chart."""
    chosen = _k_of(choice)
    possible = [price for price in prices if price.loss is not None]
    return {
        "id": "prices",
        "title": _title(possible, chosen),
        "caption": "Detail lost, 0 none and 1 all, by the number of look-alikes; estimates",
        "figure": _figure(possible, chosen),
        "table": {
            "columns": ["Hides among", "Detail lost", "Left out"],
            "rows": [
                [
                    f"{price.k:,}",
                    "not possible" if price.loss is None else f"{price.loss:.2f}",
                    f"{100 * price.left_out:.1f}\u00a0%",
                ]
                for price in prices
            ],
        },
    }


def _title(possible: list[Price], chosen: int) -> str:
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


def _figure(possible: list[Price], chosen: int) -> dict[str, Any]:
    line = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [str(price.k) for price in possible],
        "y": [price.loss for price in possible],
        "line": {"color": "token:accent", "width": 2},
        "marker": {
            "color": "token:accent",
            "size": [11 if price.k == chosen else 6 for price in possible],
        },
        "cliponaxis": False,
        "hovertemplate": "Among %{x}: %{y:.2f} lost<extra></extra>",
    }
    layout = {
        "height": 200,
        "xaxis": {"title": {"text": "Hides among"}, "type": "category"},
        "yaxis": {"title": {"text": "Detail lost"}, "rangemode": "tozero"},
    }
    return {"data": [line], "layout": layout}
