"""The two doors for networks: protect one by a plan, or only measure it."""

from dataclasses import replace
from typing import Any

import numpy as np

from deid_portal.engine.networks.attacks.active import attack_actively
from deid_portal.engine.networks.attacks.fake_links import detect_fake_links
from deid_portal.engine.networks.attacks.matching import attack_by_degree, attack_by_neighborhood
from deid_portal.engine.networks.attacks.walk import no_walk, tell_walk
from deid_portal.engine.networks.changing.draft import NetworkDraft
from deid_portal.engine.networks.first_draft import start_draft
from deid_portal.engine.networks.knowledge.node_classes import NodeClasses
from deid_portal.engine.networks.knowledge.partition import NodePartition
from deid_portal.engine.networks.network import Network, Nodes
from deid_portal.engine.networks.outcome import NetworkOutcome
from deid_portal.engine.networks.plan import NetworkPlan
from deid_portal.engine.networks.released_network import build_released_network
from deid_portal.engine.networks.report_builder import (
    MeasuredNetwork,
    add_network_miss,
    build_network_report,
)
from deid_portal.engine.networks.structure.comparison import compare_links
from deid_portal.engine.networks.structure.utility import compare_structure
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.randomness.chance import Chance
from deid_portal.engine.randomness.seeds import admit_repeatable
from deid_portal.engine.report import HouseDetails, Report
from deid_portal.engine.report.network import NetworkAttackEntry, Walks, WalksFound


def protect_network(
    network: Network,
    plan: NetworkPlan | dict[str, Any],
    progress: ProgressCallback | None = None,
    *,
    secret: bytes | None = None,
    is_repeatable: bool = False,
) -> NetworkOutcome:
    """Carry out a network plan or its document; the other arguments are those of a table's.

    `progress(done, total, phase, **figures)` is called as for tables, with the phases "protect",
    "release", "risk" and "measure"; it may raise Cancelled. A plan nothing satisfies gives an
    outcome without a network; a plan or network that makes no sense raises.
    """
    plan = plan if isinstance(plan, NetworkPlan) else NetworkPlan.from_document(plan)
    chance = plan.chance(secret, is_confirmed=is_repeatable)
    outcome = _protect(network, plan, chance, Progress(progress))
    if not chance.is_repeatable:
        return outcome
    return replace(outcome, report=admit_repeatable(outcome.report))


def _protect(
    network: Network, plan: NetworkPlan, chance: Chance, steps: Progress
) -> NetworkOutcome:
    draft = start_draft(network, plan)
    for place, method in enumerate(plan.methods):
        steps.report(0, 1, "protect", method=method.name)
        draft = method.apply(draft, chance.generator(f"method {place}"), steps)
    steps.report(0, 1, "release")
    released, rows, order = build_released_network(draft, plan, chance.generator("numbering"))
    steps.report(1, 1, "release")
    return _measured(plan, draft, released, rows, order, steps)


def assess_network(
    network: Network,
    plan: NetworkPlan,
    released: Network | None = None,
    rows: Nodes | None = None,
    progress: ProgressCallback | None = None,
) -> Report:
    """Measure risk and utility of a network as it is, or of a release made from it.

    Changes nothing. `rows` is the original node of each released one, if known; without it, links
    cannot be compared one by one.
    """
    steps = Progress(progress)
    draft = start_draft(network, plan)
    if released is not None:
        known = np.full(released.nodes, -1, np.int32) if rows is None else rows
        draft = replace(draft, network=released, rows=known)
    measured = _measure(plan, draft, steps)
    report = build_network_report(measured, solution=True)
    return replace(report, solution=all(rule.holds for rule in report.models))


def _measured(
    plan: NetworkPlan,
    draft: NetworkDraft,
    released: Network,
    rows: Nodes,
    order: Nodes,
    progress: Progress,
) -> NetworkOutcome:
    """Measure the release; if a model does not hold on it, nothing is released."""
    measured = _measure(plan, draft, progress)
    report = build_network_report(measured, solution=True)
    if not all(rule.holds for rule in report.models):
        return _without_solution(measured, progress)
    report, details = _add_evidence(report, measured, progress)
    progress.report(1, 1, "measure")
    return NetworkOutcome(True, released, report, rows, draft.tables, details)


def _add_evidence(
    report: Report, measured: MeasuredNetwork, progress: Progress
) -> tuple[Report, HouseDetails]:
    """Add structure and attacks; figures about single nodes go into the internal details."""
    assert report.network is not None  # noqa: S101 - every report of a network has it
    draft = measured.draft
    is_same = measured.changes is not None
    shown = _in_original_order(draft) if is_same else draft.network
    structure = compare_structure(draft.original, shown, is_same, progress)
    attacks = attack_release(measured, shown, progress)
    # In a release of groups nobody has links of their own.
    walk = tell_walk(shown) if draft.groups is None and is_same else no_walk()
    walks = Walks(before=tell_walk(draft.original), after=walk)
    network = replace(
        report.network,
        structure=structure,
        attacks=attacks,
        walk=WalksFound(before=walks.before.found, after=walks.after.found),
    )
    return replace(report, network=network), HouseDetails(walk=walks)


def attack_release(
    measured: MeasuredNetwork, shown: Network, progress: Progress
) -> tuple[NetworkAttackEntry, ...]:
    """Attack a release as somebody would who knew the original figures of everybody."""
    draft, plan = measured.draft, measured.plan
    done: list[NetworkAttackEntry] = []
    if measured.changes is not None:
        everyone = np.arange(draft.original.nodes, dtype=np.int32)
        done += [
            attack_by_degree(draft.original, shown, everyone),
            attack_by_neighborhood(draft.original, shown, everyone, progress),
            detect_fake_links(shown, measured.changes.added),
        ]
    if "active" in plan.measures.attacks:
        done.append(attack_actively(draft.original, plan, progress))
    return tuple(done)


def _measure(plan: NetworkPlan, draft: NetworkDraft, progress: Progress) -> MeasuredNetwork:
    progress.report(0, 1, "measure")
    changes = None
    if draft.is_about_people:
        changes = compare_links(draft.original, _in_original_order(draft))
    return MeasuredNetwork(
        plan,
        draft,
        NodeClasses(draft.original, plan.known_columns(draft.original.table), progress),
        NodeClasses(draft.network, plan.known_columns(draft.network.table), progress, draft.groups),
        changes,
    )


def _in_original_order(draft: NetworkDraft) -> Network:
    """Return the links of the draft by the original nodes behind its own."""
    if np.array_equal(draft.rows, np.arange(draft.original.nodes)):
        return draft.network
    return draft.original.with_pairs(draft.rows[draft.network.pairs], draft.network.directed)


def _without_solution(measured: MeasuredNetwork, progress: Progress) -> NetworkOutcome:
    nothing = NodeClasses(
        measured.draft.network, (), progress, NodePartition(np.zeros(0, np.int32))
    )
    report = build_network_report(replace(measured, after=nothing), solution=False)
    progress.report(1, 1, "measure")
    return NetworkOutcome(False, None, add_network_miss(report, measured))
