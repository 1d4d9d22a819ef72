"""The report of a network, with the entries of a table's report wherever they mean the same.

Nodes are its records: `rows` counts them, `classes` are groups of nodes that look alike to whoever
knows what the plan says, and `utility.loss` is the share of links changed, averaged with the share
of detail that attributes lost where there are any. What only a network has is under `network`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from deid_portal.engine.networks.changing.draft import NetworkDraft
from deid_portal.engine.networks.knowledge.knowledge import WORDS, Knowledge
from deid_portal.engine.networks.knowledge.node_classes import NodeClasses
from deid_portal.engine.networks.knowledge.risk import USUAL_K, describe_knowledge
from deid_portal.engine.networks.models import NetworkModel
from deid_portal.engine.networks.plan import NetworkPlan
from deid_portal.engine.networks.structure.comparison import LinkChanges, compare_degrees
from deid_portal.engine.report import Report
from deid_portal.engine.report.network import (
    IntakeCounts,
    KnowledgeRisk,
    LinkCounts,
    NetworkReport,
    NodeCounts,
)
from deid_portal.engine.report.risk import RiskReport
from deid_portal.engine.report.rules import NearestMiss, RuleVerdict
from deid_portal.engine.report.table import ColumnReport, InputSummary, RowCounts
from deid_portal.engine.report.transformation import MethodStep, Transformation
from deid_portal.engine.report.utility import UtilityMeasures
from deid_portal.engine.risk.classes import measure_risk, summarize_classes
from deid_portal.engine.table.table import Counts
from deid_portal.engine.version import ENGINE_VERSION

VERSION = 1
LINKS_CHANGED = "the share of all links, before or after, that were added or removed"
WITH_ATTRIBUTES = f"the mean of {LINKS_CHANGED}, and the share of detail that attributes lost"
MADE_UP = (
    "half the sum of differences between the shares of people with each number of links, since no "
    "node of the release stands for a person"
)


@dataclass(frozen=True, eq=False)
class MeasuredNetwork:
    """One network as it came and as it leaves, ready to be described."""

    plan: NetworkPlan
    draft: NetworkDraft
    before: NodeClasses
    after: NodeClasses
    changes: LinkChanges | None  # None where nodes stand for nobody


def build_network_report(measured: MeasuredNetwork, solution: bool) -> Report:
    """Return the report of `plan-format.md`, and what there is to say about the links."""
    plan, draft = measured.plan, measured.draft
    before = measured.before.of(plan.knowledge).sizes
    after = measured.after.of(plan.knowledge).sizes
    original = draft.original
    loss, definition = measure_network_loss(measured)
    return Report(
        report=VERSION,
        solution=solution,
        plan=plan.to_document(),
        plan_sha256=plan.sha256,
        engine=ENGINE_VERSION,
        input=InputSummary(
            rows=original.nodes,
            links=original.edges,
            sha256=original.sha256,
            patterns=len(before),
        ),
        notes=_notes(measured),
        rows=RowCounts(
            released=draft.network.nodes if solution else 0,
            suppressed=0 if solution else original.nodes,
        ),
        transformation=Transformation({}, {}, tuple(MethodStep.of(step) for step in draft.steps)),
        classes=summarize_classes(after, before),
        models=tuple(judge_model(model, measured) for model in plan.models),
        risk=RiskReport(before=measure_risk(before), after=measure_risk(after)),
        utility=_utility(plan, after, loss),
        utility_before=_utility(plan, before, 0.0),
        columns=_describe_columns(measured, solution),
        network=NetworkReport(
            directed=draft.network.directed,
            knowledge=plan.knowledge.value,
            knowledge_words=WORDS[plan.knowledge],
            loss_is=definition,
            nodes=NodeCounts(original.nodes, draft.network.nodes),
            links=_count_links(measured),
            intake=IntakeCounts(**vars(original.intake)),
            risk=describe_risks(measured),
        ),
    )


def judge_model(model: NetworkModel, measured: MeasuredNetwork) -> RuleVerdict:
    before, after = model.alike(measured.before), model.alike(measured.after)
    return replace(
        RuleVerdict.of(model.to_document()),
        holds=model.holds(after),
        achieved=model.achieved(after),
        achieved_before=model.achieved(before),
        nodes_over=after.count_below(model.k),
    )


def add_network_miss(report: Report, measured: MeasuredNetwork) -> Report:
    """Add which model blocked, and how many nodes it still finds too few look-alikes for."""
    judged = [judge_model(model, measured) for model in measured.plan.models]
    worst = max(judged, key=lambda entry: (not entry.holds, entry.nodes_over or 0))
    blocking = measured.plan.models[judged.index(worst)]
    over = worst.nodes_over or 0
    return replace(
        report,
        blocked_by=blocking.name,
        blocking_model=blocking.to_document(),
        nearest=NearestMiss(
            levels={},
            suppressed=over,
            allowed=0,
            excess=over,
            classes=len(blocking.alike(measured.after).sizes),
            models=tuple(judged),
        ),
    )


def measure_network_loss(measured: MeasuredNetwork) -> tuple[float, str]:
    """Return what the release lost, 0..1, and in words what was counted."""
    if measured.changes is None:
        return compare_degrees(measured.draft.original, measured.draft.network), MADE_UP
    links = measured.changes.loss
    lost, weights = measured.draft.lost, measured.draft.weights
    if not lost:
        return links, LINKS_CHANGED
    total = sum(weights.get(name, 1.0) for name in lost) or 1.0
    detail = sum(share * weights.get(name, 1.0) for name, share in lost.items()) / total
    return (links + detail) / 2, WITH_ATTRIBUTES


def describe_risks(measured: MeasuredNetwork) -> dict[str, KnowledgeRisk]:
    """Return the figures of every kind of knowledge, before and after."""
    k = max((model.k for model in measured.plan.models), default=USUAL_K)
    has_columns = bool(measured.plan.quasi_identifiers)
    asked = [known for known in Knowledge if has_columns or known is not Knowledge.ATTRIBUTES]
    return {
        known.value: KnowledgeRisk(
            words=WORDS[known],
            before=describe_knowledge(measured.before.of(known), k),
            after=describe_knowledge(measured.after.of(known), k),
        )
        for known in asked
    }


def _notes(measured: MeasuredNetwork) -> tuple[str, ...]:
    notes = [*measured.draft.original.intake.notes(), *measured.draft.notes]
    undecided = measured.after.of(measured.plan.knowledge).undecided
    if undecided:
        notes.append(
            f"{undecided:,} neighborhoods are too regular and too large to be compared; these nodes"
            f" count as standing alone, so the true risk is at most what is said here."
        )
    return tuple(notes)


def _utility(plan: NetworkPlan, sizes: Counts, loss: float) -> UtilityMeasures:
    k = max((model.k for model in plan.models), default=1)
    records = int(sizes.sum())
    return UtilityMeasures.telling(
        loss=loss,
        precision=1 - loss,
        discernibility=int((sizes.astype(object) ** 2).sum()) if len(sizes) else 0,
        average_class_size=records / len(sizes) / k if len(sizes) else 0.0,
    )


def _count_links(measured: MeasuredNetwork) -> LinkCounts:
    if measured.changes is not None:
        return measured.changes.count()
    draft = measured.draft
    return LinkCounts(before=draft.original.edges, after=draft.network.edges)


def _describe_columns(measured: MeasuredNetwork, solution: bool) -> dict[str, ColumnReport]:
    given = measured.draft.original.table
    shown = measured.draft.network.table
    names: Sequence[str] = () if given is None else given.names
    return {name: _describe_column(name, measured, given, shown, solution) for name in names}


def _describe_column(
    name: str, measured: MeasuredNetwork, given: Any, shown: Any, solution: bool
) -> ColumnReport:
    planned = measured.plan.column(name)
    released = bool(
        solution and planned is not None and not planned.is_removed and shown and name in shown
    )
    taxonomy = measured.draft.taxonomies.get(name)
    return ColumnReport(
        role=planned.role.value if planned else None,
        released=released,
        distinct_before=int((given[name].counts > 0).sum()),
        distinct_after=int((shown[name].counts > 0).sum()) if released else 0,
        height=taxonomy.height if taxonomy else None,
        loss=measured.draft.lost.get(name, 0.0) if taxonomy else None,
    )
