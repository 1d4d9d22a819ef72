"""The page of changes between two versions of a network."""

from dataclasses import dataclass
from typing import Any

from deid_portal.datasets.models import Dataset
from deid_portal.engine.charts.chart import Chart, ChartTable
from deid_portal.engine.charts.figure_parts import bars, draw_figure
from deid_portal.engine.charts.look import ACCENT, BEFORE
from deid_portal.engine.evidence.drift import DriftVerdict
from deid_portal.engine.networks.structure.drift import NetworkDrift
from deid_portal.engine.report.network import KnowledgeState
from deid_portal.engine.wording.knowledge import KNOWLEDGE_TITLES
from deid_portal.engine.wording.numbers import percent

VERDICT_WORDS = {
    DriftVerdict.SAME.value: "How many links people have is as before",
    DriftVerdict.SHIFTED.value: "How many links people have has shifted",
    DriftVerdict.DIFFERENT.value: "How many links people have is different from before",
}
FEW_PEOPLE = 5  # bars of fewer people are joined for viewers without row access


@dataclass(frozen=True)
class RiskChange:
    """Numbers of identifiable people given one kind of knowledge, in both versions."""

    title: str
    alone_before: int
    alone_after: int
    below_before: int
    below_after: int


def drift_of_network(dataset: Dataset) -> NetworkDrift | None:
    """Return the comparison with the previous version; None without one, or if it was deleted."""
    found = dataset.network.drift
    return NetworkDrift.from_document(found) if found else None


def risk_changes(dataset: Dataset) -> list[RiskChange]:
    """Compare the numbers of identifiable people, from the counts stored with both versions."""
    before = dataset.previous
    if before is None:
        return []
    old, new = before.network.knowledge_states, dataset.network.knowledge_states
    return [
        _risk_change(KNOWLEDGE_TITLES[known], old[known], new[known])
        for known in KNOWLEDGE_TITLES
        if known in old and known in new
    ]


def _risk_change(title: str, old: KnowledgeState, new: KnowledgeState) -> RiskChange:
    return RiskChange(title, old.unique, new.unique, old.below_k, new.below_k)


def degrees_chart(drift: NetworkDrift, *, sees_values: bool) -> Chart:
    """Draw the degree distributions of both versions, as shares of people."""
    bins = drift.bins if sees_values else _without_few(drift.bins)
    labels = [str(own[0]) for own in bins]
    totals = (max(drift.people.before, 1), max(drift.people.after, 1))
    shares = [[100 * own[side + 1] / totals[side] for own in bins] for side in (0, 1)]
    return Chart(
        id="degrees",
        title=VERDICT_WORDS.get(drift.verdict, "Numbers of links"),
        caption="Share of people, in percent, by their number of links",
        figure=draw_figure(
            [
                _bars(labels, shares[0], "Before", BEFORE),
                _bars(labels, shares[1], "Now", ACCENT),
            ],
            x="Links of a person",
            y="People, %",
            height=230,
            yaxis_rangemode="tozero",
        ),
        table=ChartTable(
            ["Links of a person", *labels],
            [
                ["Before", *(f"{own[1]:,}" for own in bins)],
                ["Now", *(f"{own[2]:,}" for own in bins)],
            ],
        ),
        note=_note(drift),
    )


def _note(drift: NetworkDrift) -> str:
    said = f"Largest gap between the two: {percent(drift.distance)} of the people."
    if drift.visible_from is None:
        return said
    if drift.visible_from >= 1:
        return f"{said} With so few people no change would be seen for sure."
    unseen = f"A gap under {percent(drift.visible_from)} may go unseen"
    if drift.shift_unseen:
        unseen += f", as may a mean that moves by less than {drift.shift_unseen:.2g} links"
    return f"{said} {unseen}."


def _without_few(bins: list[list[Any]]) -> list[list[Any]]:
    """Join the bars of few people, for viewers without row access."""
    many = [own for own in bins if all(not 0 < count < FEW_PEOPLE for count in own[1:])]
    few = [own for own in bins if own not in many]
    if not few:
        return many
    return [*many, ["others", sum(own[1] for own in few), sum(own[2] for own in few)]]


def _bars(labels: list[str], shares: list[float], name: str, color: str) -> Any:
    return bars(labels, shares, color=color, name=name, hover="%{x} links: %{y:.1f} %")
