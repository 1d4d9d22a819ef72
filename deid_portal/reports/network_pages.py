"""The contents of each page of the report of a network."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self, TypeVar

from deid_portal.engine.charts.chart import Chart
from deid_portal.engine.charts.groups import classes_chart
from deid_portal.engine.charts.networks import beside_charts, drawing_chart, knowledge_chart
from deid_portal.engine.charts.risk import risk_bands_chart
from deid_portal.engine.report import NotTold, Report
from deid_portal.engine.report.network import (
    ActiveAttack,
    FakeLinksAttack,
    KnowledgeRisk,
    KnowledgeState,
    LinkCounts,
    MatchingAttack,
    NetworkDrawing,
    NetworkReport,
    StructureDistance,
    StructureFigures,
)
from deid_portal.engine.wording.knowledge import KNOWLEDGE_TITLES
from deid_portal.engine.wording.numbers import one_in, percent
from deid_portal.reports.pages import Context, ReportPageRequest, Section
from deid_portal.reports.verdicts import ReportNumber, hides_among
from deid_portal.runs.models import Run

Entry = TypeVar("Entry")


def network_report_of(report: Report) -> NetworkReport:
    return _told(report.network)


def _told(entry: Entry | None) -> Entry:
    """Return an entry that every report of a network has."""
    if entry is None:
        raise NotTold("The report of a network is needed here.")
    return entry


def network_key_numbers(report: Report) -> list[ReportNumber]:
    """Eight numbers of a network before and after."""
    network, before, after = network_report_of(report), _told(report.risk.before), report.risk.after
    asked = max(
        (rule.parameters["k"] for rule in report.models if "k" in rule.parameters), default=0
    )
    highest, average = after.prosecutor.highest, after.prosecutor.average
    return [
        ReportNumber(
            "Hides among (k)",
            f"{hides_among(after):,}",
            f"{hides_among(before):,}",
            f"asked {asked}" if asked else "not asked",
        ),
        ReportNumber(
            "Highest risk",
            percent(highest),
            percent(before.prosecutor.highest, 0),
            one_in(highest),
        ),
        ReportNumber(
            "Average risk", percent(average), percent(before.prosecutor.average), one_in(average)
        ),
        ReportNumber(
            "Stand alone",
            percent(after.sample_uniques),
            percent(before.sample_uniques),
            KNOWLEDGE_TITLES[network.knowledge].lower(),
        ),
        ReportNumber(
            "People",
            f"{network.nodes.after:,}",
            f"{network.nodes.before:,}",
            "one way" if network.directed else "links go both ways",
        ),
        *_link_numbers(network.links),
        ReportNumber("Detail lost", f"{report.utility.known_loss:.4f}", "0", "0 none, 1 all"),
    ]


def _link_numbers(links: LinkCounts) -> tuple[ReportNumber, ReportNumber]:
    kept = "made up anew" if links.kept is None else f"{links.kept:,} kept as they were"
    in_all = ReportNumber("Links", f"{links.after:,}", f"{links.before:,}", kept)
    if links.added is None or links.removed is None:
        note = "nobody in it stands for a person"
        return in_all, ReportNumber("Links changed", "–", note=note)
    note = f"{links.added:,} added, {links.removed:,} removed"
    return in_all, ReportNumber("Links changed", f"{links.added + links.removed:,}", note=note)


def _summary(asked: ReportPageRequest) -> Context:
    report = asked.report
    return {
        "charts": [knowledge_chart(network_report_of(report)), classes_chart(report)],
        "drawings": _drawings(asked),
        "loss_is": f"Detail lost is {network_report_of(report).loss_is}.",
    }


def _drawings(asked: ReportPageRequest) -> list[Chart]:
    """Draw the release and, for stewards, the original network beside it."""
    if asked.report.beside is not None:
        return beside_charts(asked.report.beside)
    before, after = _drawing_before(asked.run), network_report_of(asked.report).drawing
    drawings = []
    if before is not None and (before.aggregated or asked.sees_values):
        drawings.append(drawing_chart(before, chart_id="before", title="Before"))
    if after is not None:
        drawings.append(drawing_chart(after, chart_id="after", title="As it leaves"))
    return drawings


def _drawing_before(run: Run) -> NetworkDrawing | None:
    drawing = run.dataset.network.drawing
    return NetworkDrawing.from_document(drawing) if drawing else None


def _groups(asked: ReportPageRequest) -> Context:
    return {"chart": classes_chart(asked.report)}


def _risk(asked: ReportPageRequest) -> Context:
    network = network_report_of(asked.report)
    return {
        "charts": [risk_bands_chart(asked.report), knowledge_chart(network)],
        "lines": [KnowledgeLine.of(known, own) for known, own in network.risk.items()],
    }


@dataclass(frozen=True)
class LookAlikesLine:
    """Numbers of unique people and of people below k, and sizes of candidate sets."""

    alone: int
    below: int
    least: int
    median: int

    @classmethod
    def of(cls, state: KnowledgeState) -> Self:
        found = state.candidates
        return cls(state.unique, state.below_k, found.least or 0, found.median or 0)


@dataclass(frozen=True)
class KnowledgeLine:
    """The risk before and after given one kind of background knowledge."""

    title: str
    words: str
    before: LookAlikesLine
    after: LookAlikesLine
    k: int
    is_exact: bool

    @classmethod
    def of(cls, known: str, risk: KnowledgeRisk) -> Self:
        return cls(
            title=KNOWLEDGE_TITLES[known],
            words=risk.words,
            before=LookAlikesLine.of(risk.before),
            after=LookAlikesLine.of(risk.after),
            k=risk.after.k,
            is_exact=risk.before.exact and risk.after.exact,
        )


# Measure, label and format.
STRUCTURE: tuple[tuple[Callable[[StructureFigures], float], str, str], ...] = (
    (lambda own: own.mean_degree, "Links per person", "{:.2f}"),
    (lambda own: own.largest_degree, "Most links of a person", "{:,}"),
    (lambda own: own.clustering, "Contacts who know each other (clustering)", "{:.3f}"),
    (lambda own: own.triangles, "Triangles", "{:,}"),
    (lambda own: own.components, "Parts without a link between them", "{:,}"),
    (lambda own: own.largest_component, "Share of people in the largest part", "{:.1%}"),
    (lambda own: own.mean_path, "Steps from one person to another", "{:.2f}"),
    (lambda own: own.communities, "Communities", "{:,}"),
)
DISTANCES: tuple[tuple[Callable[[StructureDistance], float | None], str], ...] = (
    (lambda own: own.degrees, "Numbers of links, share that differs"),
    (lambda own: own.spectrum, "Largest eigenvalues, relative distance"),
    (lambda own: own.communities, "Communities, disagreement (0 the same, 1 as by chance)"),
    (lambda own: own.importance_ranks, "Ranks of importance, disagreement"),
    (
        lambda own: own.most_important_kept,
        "Of the most important hundredth, share still among them",
    ),
)


def _structure(asked: ReportPageRequest) -> Context:
    found = _told(network_report_of(asked.report).structure)
    before, after = found.before, found.after
    distances = [(words, value(found.distance)) for value, words in DISTANCES]
    return {
        "lines": [
            (words, form.format(value(before)), form.format(value(after)))
            for value, words, form in STRUCTURE
        ],
        "distances": [(words, f"{own:.3f}") for words, own in distances if own is not None],
        "sources": after.path_sources,
        "title": _structure_title(before, after),
    }


def _structure_title(before: StructureFigures, after: StructureFigures) -> str:
    old, new = before.clustering, after.clustering
    if old and abs(new - old) / old > NOTICEABLE:
        word = "fewer" if new < old else "more"
        return f"{word.capitalize()} contacts know each other: clustering {old:.3f} → {new:.3f}"
    return "How contacts know each other is much as it was"


NOTICEABLE = 0.1
ATTACK_WORDS = {
    "degree": ("Somebody knows everybody’s number of links", "right on average"),
    "neighbourhood": ("Somebody knows how everybody’s contacts are linked", "right on average"),
    "active": ("Somebody planted fake accounts before the release", "fakes found again"),
}


def _attacks(asked: ReportPageRequest) -> Context:
    made = network_report_of(asked.report).attacks or ()
    finding = [own for own in made if isinstance(own, MatchingAttack | ActiveAttack)]
    return {
        "lines": [NetworkAttackLine.of(own) for own in finding if own.attack in ATTACK_WORDS],
        "fakes": next((own for own in made if isinstance(own, FakeLinksAttack)), None),
        "active": next((own for own in made if isinstance(own, ActiveAttack)), None),
        "walk": asked.report.walk if asked.sees_values else None,
    }


@dataclass(frozen=True)
class NetworkAttackLine:
    title: str
    value: str
    interval: str
    sure: str

    @classmethod
    def of(cls, own: MatchingAttack | ActiveAttack) -> Self:
        words, unit = ATTACK_WORDS[own.attack]
        low, high = own.interval
        sure = f"{own.found_for_sure:,} found for sure" if isinstance(own, MatchingAttack) else ""
        return cls(
            title=words,
            value=f"{percent(own.success)} {unit}",
            interval="counted" if low == high else f"{percent(low)} to {percent(high)}",
            sure=sure,
        )


FOLDER = "reports/networks"
NETWORK_SECTIONS = {
    section.slug: section
    for section in (
        Section("summary", "Summary", _summary, FOLDER),
        Section("groups", "Groups", _groups, FOLDER),
        Section("risk", "Risk", _risk, FOLDER),
        Section("structure", "Structure", _structure, FOLDER),
        Section("attacks", "Attacks", _attacks, FOLDER),
    )
}
