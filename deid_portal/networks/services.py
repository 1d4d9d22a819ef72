"""Writes to networks: upload, how files are read, the chosen protection."""

import shutil
from typing import Any, BinaryIO, cast

from django.db import transaction

from deid_portal.accounts.models import Team, User
from deid_portal.audit.services import record_event
from deid_portal.datasets.deletion import usual_deletion_day
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.permissions import check_can_change, check_can_upload
from deid_portal.datasets.sealed_upload import SealedUpload
from deid_portal.datasets.services import place_in_series
from deid_portal.datasets.subjects import SubjectKind
from deid_portal.engine.files.table_reader import detect_file
from deid_portal.engine.networks import NetworkPlan
from deid_portal.engine.networks.files.reader import NetworkFormat, detect_network
from deid_portal.networks.composition import compose_network_plan
from deid_portal.networks.models import Network, NetworkReading
from deid_portal.networks.plan_fit import check_network_plan_fits
from deid_portal.networks.policies import check_attributes_decided, check_can_read_again
from deid_portal.networks.tasks import read_uploaded_network
from deid_portal.plans.composition import ProtectionChoice, choice_of
from deid_portal.plans.models import Protection
from deid_portal.vault import vault
from deid_portal.work.leases import queue, request_stop
from deid_portal.work.limits import limits_of_file

COPIED_BYTES = 1 << 20


def upload_network(
    *,
    team: Team,
    uploaded_by: User,
    links: SealedUpload,
    nodes: SealedUpload | None,
    name: str,
    is_directed: bool,
    next_of: Dataset | None = None,
) -> Dataset:
    """Store both files and queue their reading; raises InvalidTable if one is not readable.

    The next version of a network takes over the name and the reading settings of the previous one.
    """
    check_can_upload(uploaded_by, team)
    form, node_form = _detect_links(links, next_of), _detect_nodes(nodes) if nodes else {}
    dataset = Dataset(
        kind=SubjectKind.NETWORK,
        team=team,
        name=name,
        file_name=links.name or "",
        file_bytes=(links.size or 0) + (nodes.size or 0 if nodes else 0),
        file_sha256=links.sha256,
        file_format=form.to_document(),
        delete_on=usual_deletion_day(),
        created_by=uploaded_by,
    )
    network = Network(
        dataset=dataset,
        is_directed=next_of.network.is_directed if next_of else is_directed,
        id_column=next_of.network.id_column if next_of else "",
        nodes_name=nodes.name or "nodes" if nodes else "",
        nodes_format=node_form,
    )
    try:
        _keep_files(dataset, network, links, nodes, next_of)
    except BaseException:
        vault.delete(dataset.folder)  # without a row in the database the files would be orphaned
        raise
    return dataset


def _detect_links(upload: SealedUpload, next_of: Dataset | None) -> NetworkFormat:
    """Detect the format of links; if a header is uncertain, use the previous version's setting."""
    with upload.open_reader() as stream:
        form = detect_network(stream).format
    before = NetworkFormat.from_document(next_of.file_format) if next_of else form
    if form.header_is_guessed and before.kind is form.kind and not before.header_is_guessed:
        return form.with_header(before.has_header)
    return form


def _detect_nodes(upload: SealedUpload) -> dict[str, Any]:
    with upload.open_reader() as stream:
        return detect_file(stream, limits=limits_of_file()).format.to_document()


@transaction.atomic
def _keep_files(
    dataset: Dataset,
    network: Network,
    links: SealedUpload,
    nodes: SealedUpload | None,
    next_of: Dataset | None,
) -> None:
    dataset.save()
    network.save()
    links.keep_as(dataset.upload_file)
    if nodes is not None:
        _copy(nodes, network.nodes_file)
    record_event(
        "network.uploaded",
        actor=dataset.created_by,
        team=dataset.team,
        subject=dataset,
        facts={"sha256": dataset.file_sha256, "bytes": dataset.file_bytes},
    )
    if next_of is not None:
        by = dataset.created_by
        place_in_series(dataset=dataset, placed_by=by, next_of=next_of, reads_alike=False)
    _queue_reading(dataset, dataset.created_by)


def _copy(upload: SealedUpload, name: str) -> None:
    """Seal a second file under the key of the folder; only the first can be moved there."""
    with upload.open_reader() as stream, vault.VaultWriter(name) as writer:
        shutil.copyfileobj(stream, cast(BinaryIO, writer), COPIED_BYTES)
    upload.close()


def _queue_reading(dataset: Dataset, asked_by: User) -> NetworkReading:
    dataset.state = Dataset.State.READING
    dataset.save(update_fields=["state", "changed_at"])
    reading = NetworkReading.objects.create(dataset=dataset, asked_by=asked_by)
    queue(reading, read_uploaded_network)
    return reading


@transaction.atomic
def read_network_again(
    *,
    dataset: Dataset,
    asked_by: User,
    is_directed: bool,
    id_column: str,
    has_header: bool | None = None,
) -> NetworkReading:
    """Read the files with other settings; decisions about columns are reset.

    `has_header` is the person's answer about the first line, None for files without such a line.
    """
    check_can_change(asked_by, dataset)
    locked = Dataset.objects.select_for_update().get(id=dataset.id)
    check_can_read_again(locked)
    network = locked.network
    network.is_directed, network.id_column = is_directed, id_column
    network.save(update_fields=["is_directed", "id_column"])
    facts: dict[str, Any] = {"directed": is_directed}
    if has_header is not None:
        form = NetworkFormat.from_document(locked.file_format).with_header(has_header)
        locked.file_format = form.to_document()
        locked.save(update_fields=["file_format"])
        facts["header"] = has_header
    record_event(
        "network.read_again",
        actor=asked_by,
        team=locked.team,
        subject=locked,
        facts=facts,
    )
    return _queue_reading(locked, asked_by)


@transaction.atomic
def stop_network_reading(*, reading: NetworkReading, stopped_by: User) -> None:
    check_can_change(stopped_by, reading.dataset)
    dataset = Dataset.objects.select_for_update().get(id=reading.dataset_id)
    if request_stop(reading):
        dataset.state = Dataset.State.UPLOADED
        dataset.save(update_fields=["state", "changed_at"])
    record_event("network.reading_stopped", actor=stopped_by, team=dataset.team, subject=dataset)


def choose_network_protection(
    *, dataset: Dataset, chosen_by: User, choice: ProtectionChoice, knowledge: str
) -> NetworkPlan:
    """Store the choice; raises InvalidPlan, without storing, if its plan is invalid."""
    check_can_change(chosen_by, dataset)
    check_attributes_decided(dataset)
    answers = {"knowledge": knowledge}
    plan = compose_network_plan(dataset, choice, knowledge).to_plan()
    plan.check_seed()
    saved: Protection | None = getattr(dataset, "protection", None)
    if saved is not None and choice_of(saved) == choice and saved.answers == answers:
        return plan  # unchanged, so its author stays the same
    check_network_plan_fits(dataset, plan)
    with transaction.atomic():
        Protection.objects.update_or_create(
            dataset=dataset,
            defaults={
                "rules": choice.rules,
                "method": choice.method,
                "measures": choice.measures,
                "seed": choice.seed,
                "answers": answers,
                "changed_by": chosen_by,
            },
        )
        dataset.save(update_fields=["changed_at"])
        record_event(
            "plan.protection_chosen",
            actor=chosen_by,
            team=dataset.team,
            subject=dataset,
            facts={
                "rules": [model.name for model in plan.models],
                "methods": [method.name for method in plan.methods],
                "plan_sha256": plan.sha256,
            },
        )
    return plan
