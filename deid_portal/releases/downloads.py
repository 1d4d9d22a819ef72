"""Counting downloads, and resuming interrupted ones.

No byte may be sent before the download is counted, or after the release was withdrawn, and the last
download must not be given twice. So a download is counted in one conditional update before the
package is opened; a request for a further part is matched to it by person and hash; and while
sending, it is regularly checked whether the release is still open.

Further parts are not counted for a day, as long as fewer bytes were sent than twice the size of the
package. That allows any number of interruptions, but hardly a second copy.
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
    """Count a download before the first byte is sent, or find the one that a part continues."""
    # With the lock, a concurrent withdrawal happens either after this or is seen here.
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
    """Use one of the person's downloads; of two requests for the last one, one succeeds."""
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
    """Yield pieces, record the bytes sent, and stop if the release is withdrawn meanwhile.

    It also stops if the person's period ends, by time or by a steward.
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
    """Add to the bytes sent; False if the release was withdrawn or the person's period is over."""
    Download.objects.filter(pk=download.pk).update(sent=F("sent") + sent)
    mine = Grant.objects.filter(release=download.release_id, person=download.person_id)
    return mine.filter(release__withdrawn_at=None, expires_at__gt=timezone.now()).exists()
