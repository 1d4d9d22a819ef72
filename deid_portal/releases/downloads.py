"""Counting downloads, and letting a cut one go on.

What must never happen: a byte that leaves before it is counted, two people taking the same last
download, a byte that leaves after the withdrawal. So a download is counted in one conditional
update before anything is opened; a part that continues it is tied to it by person and fingerprint;
and while bytes flow, every few of them ask whether the release still stands.

A part is free of charge for a day, and while fewer bytes went out than twice the package has. That
is enough for any number of cuts, and too little for a second copy of every byte for everybody.
"""

from collections.abc import Iterable, Iterator
from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.releases.models import Download, Grant, Release
from deid_portal.releases.permissions import team_of_release
from deid_portal.releases.policies import check_can_continue, check_can_download
from deid_portal.web.ranges import ByteRange
from deid_portal.web.refusals import Refused

RESUMED_WITHIN = timedelta(hours=24)
MOST_COPIES_SENT = 2
LOOK_AFTER_BYTES = 4 * 1024 * 1024


@transaction.atomic
def begin_download(
    *, release: Release, person: User, sha256: str, size: int, part: ByteRange | None
) -> Download:
    """Count a download before the first byte leaves, or find the one that a part continues."""
    # The lock makes a withdrawal wait for us or us for it; then we see it.
    release = Release.objects.select_for_update(of=("self",)).get(id=release.id)
    grant = release.grants.filter(person=person).first()
    check_can_continue(release, grant)
    begun = _find_begun(release, person, sha256, size) if part is not None else None
    if begun is not None:
        return begun
    check_can_download(release, grant)
    return _count(release, person, sha256)


def _find_begun(release: Release, person: User, sha256: str, size: int) -> Download | None:
    recent = release.downloads.filter(
        person=person, sha256=sha256, at__gt=timezone.now() - RESUMED_WITHIN
    )
    return recent.filter(sent__lt=MOST_COPIES_SENT * size).order_by("-at").first()


def _count(release: Release, person: User, sha256: str) -> Download:
    """Take one of the person's downloads; of two who ask for the last one, one gets it."""
    now = timezone.now()
    mine = release.grants.filter(person=person)
    open_now = mine.filter(taken__lt=F("allowed"), expires_at__gt=now)
    if not open_now.update(taken=F("taken") + 1, last_taken_at=now):
        raise Refused("You have taken it as often as you may. Ask for more.")
    download = Download.objects.create(release=release, person=person, sha256=sha256)
    record_event(
        "release.downloaded",
        actor=person,
        team=team_of_release(release),
        subject=release,
        facts={"package_sha256": sha256, "times": mine.get().taken},
    )
    return download


def send_counted(download: Download, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Pass pieces on, note how many bytes went, and stop in the middle when it is withdrawn.

    Or closed to the person who takes it, by the clock or by a steward.
    """
    unsaid = 0
    try:
        for piece in pieces:
            unsaid += len(piece)
            if unsaid >= LOOK_AFTER_BYTES:
                sent, unsaid = unsaid, 0
                if not _note(download, sent):
                    return
            yield piece
    finally:
        if unsaid:
            _note(download, unsaid)


def _note(download: Download, sent: int) -> bool:
    """Add to what was sent; False once the release is withdrawn or closed to the person."""
    Download.objects.filter(pk=download.pk).update(sent=F("sent") + sent)
    mine = Grant.objects.filter(release=download.release_id, person=download.person_id)
    return mine.filter(release__withdrawn_at=None, expires_at__gt=timezone.now()).exists()
