"""Perform the reading of a network: count its links and nodes, and who could be recognized."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.db import transaction
from django.urls import reverse
from numpy.typing import NDArray

from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.reading_job import count_and_store, write_columns
from deid_portal.datasets.table_hooks import Unpack, pack_for_next_version
from deid_portal.engine import Table
from deid_portal.engine.detection import Findings, suggest_by_looks
from deid_portal.engine.networks import Network as LinkedNodes
from deid_portal.engine.networks.attacks.walk import tell_walk
from deid_portal.engine.networks.knowledge.knowledge import Knowledge
from deid_portal.engine.networks.knowledge.node_classes import NodeClasses
from deid_portal.engine.networks.knowledge.risk import describe_knowledge
from deid_portal.engine.networks.structure.drift import compare_networks
from deid_portal.engine.networks.structure.layout import draw
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.table.profile import ColumnProfile
from deid_portal.networks.models import NetworkReading
from deid_portal.networks.selectors import open_network
from deid_portal.notices.services import tell
from deid_portal.policies.selectors import policy_in_force
from deid_portal.vault import vault
from deid_portal.work.endings import Endings
from deid_portal.work.leases import (
    Lease,
    LeaseLost,
    WorkStatus,
    end_as_given_up,
    retry_while_unreachable,
)
from deid_portal.work.limits import limits_of_reading

WORKERS_DIED = (
    "The worker broke off each time it tried to read this network. Where the machine was not "
    "switched off, the network may be too large for it."
)
NO_ROOM = (
    "There was no room left to store what was found. The upload is kept. "
    "Ask the administrator to make room, then try again."
)
UNEXPECTED = "The network could not be read because of a fault in the portal. Try again."
NO_COLUMNS = Table(())


@dataclass(frozen=True)
class NetworkFindings:
    """Everything that is kept of a reading."""

    network: LinkedNodes
    risk: dict[str, Any]
    shape: dict[str, Any]
    drawing: dict[str, Any]
    story: list[str]
    drift: dict[str, Any]
    table: Table = NO_COLUMNS
    profiles: tuple[ColumnProfile, ...] = ()
    findings: Findings | None = None


def perform_network_reading(lease: Lease[NetworkReading]) -> None:
    """Read, count, draw; ends the work exactly once, whatever happens."""
    limits = lease.limits = limits_of_reading()
    lease.end_stuck = lambda over: _end_without_network(lease, WorkStatus.FAILED, str(over))
    with _endings(lease).applied():
        with lease, limits.refusing_too_much():
            found = _read_and_count(lease)
            parcels = pack_for_next_version(lease.work.dataset, found.table, lease.progress)
        retry_while_unreachable(lambda: _keep(lease, found, parcels))


def _endings(lease: Lease[NetworkReading]) -> Endings:
    return Endings(
        stop=lambda: _end_without_network(lease, WorkStatus.STOPPED, ""),
        fail=lambda problem: _end_without_network(lease, WorkStatus.FAILED, problem),
        drop=lambda: _delete_columns(lease),
        unexpected=UNEXPECTED,
        no_room=NO_ROOM,
        limits=lease.limits,
    )


def _read_and_count(lease: Lease[NetworkReading]) -> NetworkFindings:
    dataset = lease.work.dataset
    network = open_network(dataset, lease.progress)
    risk, shape = _count_look_alikes(dataset, network, Progress(lease.progress))
    lease.progress(0, 1, "draw")
    drawing, story = draw(network).drawing.to_document(), list(tell_walk(network).words)
    drift = _compare_with_the_version_before(dataset, network, lease.progress)
    found = NetworkFindings(network, risk, shape, drawing, story, drift)
    if network.table is None:
        return found
    profiles, looks = count_and_store(lease, dataset, network.table)
    findings = suggest_by_looks(network.table, looks, lease.progress)
    return replace(found, table=network.table, profiles=profiles, findings=findings)


def _compare_with_the_version_before(
    dataset: Dataset, network: LinkedNodes, progress: ProgressCallback
) -> dict[str, Any]:
    """Open the version before once more and compare; nothing where it was deleted."""
    before = dataset.previous
    if before is None or before.is_forgotten:
        return {}
    progress(0, 1, "compare")
    return compare_networks(open_network(before), network).to_document()


def _count_look_alikes(
    dataset: Dataset, network: LinkedNodes, progress: Progress
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return who stands out by what may be known of links, and the counts behind it."""
    least_k = max(policy_in_force(dataset.team).rules.least_k, 2)
    alike = NodeClasses(network, (), progress)
    known = [own for own in Knowledge if own is not Knowledge.ATTRIBUTES]
    risk = {own.value: describe_knowledge(alike.of(own), least_k).to_document() for own in known}
    sizes = {own.value: _counted(alike.of(own).sizes) for own in known}
    return risk, {"degrees": _counted(network.undirected.degrees), "sizes": sizes}


def _counted(numbers: NDArray[Any]) -> list[list[int]]:
    """Return every number that occurs, with how often."""
    values, counts = np.unique(numbers, return_counts=True)
    counted: list[list[int]] = np.column_stack([values, counts]).astype(int).tolist()
    return counted


@transaction.atomic
def _keep(lease: Lease[NetworkReading], found: NetworkFindings, parcels: list[Unpack]) -> None:
    lease.finish()
    dataset, network = lease.work.dataset, found.network
    if found.findings is not None:
        write_columns(dataset, found.table, found.profiles, found.findings)
    dataset.rows = network.nodes
    dataset.table_id = lease.token
    dataset.state = Dataset.State.READY
    dataset.save(update_fields=["rows", "table_id", "state", "changed_at"])
    own = dataset.network
    own.is_directed = network.directed  # GraphML says so itself
    own.links, own.intake = network.edges, network.intake.to_document()
    own.notes, own.risk = network.intake.notes(), found.risk
    own.drawing, own.story, own.shape = found.drawing, found.story, found.shape
    own.drift = found.drift
    own.save()
    record_event(
        "network.read",
        actor=lease.work.asked_by,
        team=dataset.team,
        subject=dataset,
        facts={"nodes": network.nodes, "links": network.edges, **own.intake},
    )
    for unpack in parcels:
        unpack(dataset, lease.work.asked_by)
    tell(
        [lease.work.asked_by],
        f"{dataset} was read: {network.nodes:,} nodes, {network.edges:,} links.",
        kind="network.read",
        url=reverse(dataset.subject.page_after_reading, args=[dataset.id]),
        team=dataset.team,
    )


def _end_without_network(lease: Lease[NetworkReading], status: WorkStatus, problem: str) -> None:
    _delete_columns(lease)

    def write_end() -> None:
        with transaction.atomic(), suppress(LeaseLost):
            lease.finish(status, problem=problem)
            end_without_network(lease.work, tells=status == WorkStatus.FAILED)

    retry_while_unreachable(write_end)


def _delete_columns(lease: Lease[NetworkReading]) -> None:
    """Delete the columns this attempt has stored, unless they came to be in force."""
    if not Dataset.objects.filter(id=lease.work.dataset_id, table_id=lease.token).exists():
        vault.delete(f"datasets/{lease.work.dataset_id}/table-{lease.token}")


@transaction.atomic
def give_up_network_reading(reading: NetworkReading) -> None:
    if end_as_given_up(reading, WORKERS_DIED):
        end_without_network(reading, tells=True)


def end_without_network(reading: NetworkReading, *, tells: bool) -> None:
    """Leave the upload as it was, so that it can be read differently or discarded."""
    dataset = reading.dataset
    dataset.state = Dataset.State.UPLOADED
    dataset.save(update_fields=["state", "changed_at"])
    record_event("network.not_read", actor=reading.asked_by, team=dataset.team, subject=dataset)
    if tells:
        tell(
            [reading.asked_by],
            f"The network {dataset} could not be read.",
            kind="network.not_read",
            url=reverse("networks:show", args=[dataset.id]),
            team=dataset.team,
        )
