"""Packs a release into one zip in the vault, completely or not at all. Ends exactly once.

A package must never contain rows that were not approved, be incomplete, or differ from another one
of the same release and format. The rows are hashed while they are packed, and the package is
discarded unless the hash is the approved one; the zip is renamed to its final name after its last
byte; times, order and compression are fixed.
"""

import hashlib
import zipfile
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from deid_portal.audit.services import record_event
from deid_portal.engine import ENGINE_VERSION
from deid_portal.engine.verification.verification import verify_package
from deid_portal.notices.services import tell
from deid_portal.releases.models import Package
from deid_portal.releases.notifications import tell_that_it_can_be_downloaded
from deid_portal.releases.package_contents import STEPS, contents_of, seal_contents
from deid_portal.releases.package_member import PackageMember
from deid_portal.vault import vault
from deid_portal.web.refusals import Refused
from deid_portal.work.endings import Endings
from deid_portal.work.leases import (
    Lease,
    LeaseLost,
    WorkStatus,
    end_as_given_up,
    retry_while_unreachable,
)
from deid_portal.work.limits import JobLimits

OWN_DOUBT = "Verifying this package fails:"
MOST_FAILURES = 5
LONG_AGO = (1980, 1, 1, 0, 0, 0)
UNIX = 3
UNEXPECTED = "The package could not be made because of a fault in the portal. Try again."
NO_ROOM = "There was no room left to store the package. Ask the administrator to make room."
WORKERS_DIED = (
    "The worker stopped each time it tried to pack this, most likely for want of memory. "
    "Ask for a larger machine, or choose CSV."
)


@dataclass(frozen=True)
class PackedFile:
    """A file in the list of the package."""

    name: str
    purpose: str
    size: int
    sha256: str


def perform_packing(lease: Lease[Package]) -> None:
    limits = lease.limits = packing_limits()
    lease.end_stuck = lambda over: _fail(lease, str(over))
    with _endings(lease).applied():
        with lease, limits.refusing_too_much():
            packed = _pack(lease)
        _end(lease, WorkStatus.FINISHED, "package.packed", **packed)


def _endings(lease: Lease[Package]) -> Endings:
    return Endings(
        stop=lambda: _end(lease, WorkStatus.STOPPED, "package.stopped"),
        fail=lambda problem: _fail(lease, problem),
        drop=lambda: _delete_dead_attempts(lease.work),
        unexpected=UNEXPECTED,
        no_room=NO_ROOM,
        limits=lease.limits,
    )


def packing_limits() -> JobLimits:
    words = "Choose CSV, or ask for a larger machine; the release is not touched by it."
    return JobLimits(
        settings.RUN_MEMORY_MB, settings.RUN_MINUTES, memory_words=words, minutes_words=words
    )


def _pack(lease: Lease[Package]) -> dict[str, Any]:
    contents = contents_of(lease.work, lease.progress)
    with vault.VaultWriter(lease.work.file) as writer:
        archive = zipfile.ZipFile(cast(BinaryIO, writer), "w", zipfile.ZIP_DEFLATED)
        with archive:
            files = [_write(archive, member, lease) for member in contents.members]
            sums = {file.name: file.sha256 for file in files}
            files += [_write(archive, member, lease) for member in seal_contents(contents, sums)]
        lease.check()
    verified = _verify(lease, contents.signer.public_key)
    doubts = [] if verified["is_whole"] else [f"{OWN_DOUBT} {verified['failed'][0]}"]
    if doubts and lease.work.release.request.run.engine_version == ENGINE_VERSION:
        raise Refused(f"{doubts[0]} Nothing is offered until that is mended.")
    return {
        "size": writer.size,
        "sha256": writer.sha256,
        "files": [asdict(file) for file in files],
        "key_fingerprint": contents.key_fingerprint,
        "verified": verified,
        "notes": [*contents.notes, *doubts],
    }


def _verify(lease: Lease[Package], key: bytes) -> dict[str, Any]:
    """Verify the package like a recipient; reports of older engines may fail, which is noted."""
    lease.progress(STEPS - 1, STEPS, "verify")
    with vault.open_reader(lease.work.file) as stream:
        done = verify_package(stream, pinned=key)
    return {
        "is_whole": done.is_whole,
        "summary": done.summary,
        "verdict": done.verdict,
        "held": len(done.held),
        "trusted": len(done.trusted),
        "failed": [claim.words for claim in done.failed[:MOST_FAILURES]],
    }


def _write(archive: zipfile.ZipFile, member: PackageMember, lease: Lease[Package]) -> PackedFile:
    digest, size = hashlib.sha256(), 0
    with archive.open(entry_of(member.name), "w", force_zip64=True) as entry:
        for piece in member.pieces():
            digest.update(piece)
            size += len(piece)
            entry.write(piece)
            lease.check()
    member.check(digest.hexdigest())
    return PackedFile(member.name, member.purpose, size, digest.hexdigest())


def entry_of(name: str) -> zipfile.ZipInfo:
    """Return a zip entry with fixed time and attributes, so that packing is reproducible."""
    entry = zipfile.ZipInfo(name, LONG_AGO)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = UNIX
    entry.external_attr = 0o644 << 16
    return entry


def _fail(lease: Lease[Package], problem: str) -> None:
    _end(lease, WorkStatus.FAILED, "package.failed", problem=problem)


def _end(lease: Lease[Package], status: WorkStatus, action: str, **values: Any) -> None:
    retry_while_unreachable(lambda: _write_end(lease, status, action, values))


@transaction.atomic
def _write_end(
    lease: Lease[Package], status: WorkStatus, action: str, values: dict[str, Any]
) -> None:
    package = lease.work
    try:
        lease.finish(status, **values)
    except LeaseLost:
        _delete_dead_attempts(package)
        return
    transaction.on_commit(lambda: _delete_dead_attempts(package))
    _record(action, package, sha256=values.get("sha256", ""))
    if status == WorkStatus.FINISHED:
        _tell(package)


def _tell(package: Package) -> None:
    """Notify who requested it; the package of the approval makes the release downloadable."""
    if package.asked_by is None:
        tell_that_it_can_be_downloaded(package.release)
    else:
        tell(
            [package.asked_by],
            f"{package.release} is packed as {package.get_format_display()}.",
            kind="package.packed",
            url=f"{reverse('releases:show', args=[package.release_id])}?as={package.format}",
            team=package.release.request.run.dataset.team,
        )


def _record(action: str, package: Package, **facts: str) -> None:
    record_event(
        action,
        actor=package.asked_by,
        team=package.release.request.run.dataset.team,
        subject=package.release,
        facts={"format": package.format} | {key: own for key, own in facts.items() if own},
    )


@transaction.atomic
def give_up_packing(package: Package) -> None:
    if end_as_given_up(package, WORKERS_DIED):
        transaction.on_commit(lambda: _delete_dead_attempts(package))
        _record("package.failed", package)


def _delete_dead_attempts(package: Package) -> None:
    """Delete the files of failed attempts; idempotent."""
    now = Package.objects.only("status", "attempt", "release", "format").get(id=package.id)
    living = {now.attempt} if now.is_open or now.is_ready else set()
    for attempt in set(range(1, max(now.attempt, package.attempt) + 1)) - living:
        vault.delete(now.attempt_folder(attempt))
