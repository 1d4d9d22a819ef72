"""Creating and withdrawing releases. Who may download them is in `grants.py`."""

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from deid_portal.accounts.models import Team, User
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset
from deid_portal.releases.grants import hold_release, open_to_the_named
from deid_portal.releases.models import Release, TableFormat
from deid_portal.releases.notifications import tell_that_release_was_withdrawn
from deid_portal.releases.package_statement import state_release
from deid_portal.releases.packages import request_package
from deid_portal.releases.permissions import check_may_withdraw, team_of_release
from deid_portal.releases.policies import check_not_withdrawn
from deid_portal.reviews.models import ReviewRequest
from deid_portal.reviews.policies import move_request
from deid_portal.web.refusals import Refused

Status = ReviewRequest.Status


@transaction.atomic
def create_release(*, request: ReviewRequest, approved_by: User) -> Release:
    """Make an approved run downloadable; called by the approval, in its transaction.

    Releases are numbered over all versions of a dataset, so that a number is unique among them.
    """
    dataset = Dataset.objects.select_for_update().get(id=request.run.dataset_id)
    # Two versions may be approved at the same moment; the lock they share is that of the team.
    Team.objects.select_for_update().get(id=dataset.team_id)
    of_all_versions = Release.objects.filter(request__run__dataset__series=dataset.series)
    last = of_all_versions.aggregate(last=Max("number"))
    release = Release.objects.create(
        request=request, number=(last["last"] or 0) + 1, approved_by=approved_by
    )
    grants = open_to_the_named(release)
    record_event(
        "release.created",
        actor=approved_by,
        team=dataset.team,
        subject=release,
        facts={
            "output_sha256": request.output_sha256,
            "people": sorted(grant.person_id for grant in grants),
            "days": request.download_days,
            "times": request.downloads_per_person,
        },
    )
    state_release(release)
    request_package(release=release, format=TableFormat.CSV, person=None)
    _move(request, Status.RELEASED)
    return release


def check_can_withdraw_release(user: User, release: Release) -> None:
    check_may_withdraw(user, release)
    check_not_withdrawn(release)


def is_name_of(text: str, release: Release) -> bool:
    """Say whether a text is the name of the release, ignoring case and extra spaces."""
    return " ".join(text.split()).casefold() == " ".join(str(release).split()).casefold()


@transaction.atomic
def withdraw_release(*, release: Release, withdrawn_by: User, reason: str, typed: str) -> Release:
    """Stop all downloads at once and notify everybody with a grant.

    The audit record does not contain the reason, in which people may write names.
    """
    release = hold_release(release)
    check_can_withdraw_release(withdrawn_by, release)
    if not reason.strip():
        raise Refused("Say why; everybody named reads it on the page of the release.")
    if not is_name_of(typed, release):
        raise Refused(f"Type the name of the release to confirm: {release}")
    release.withdrawn_by, release.withdrawn_at = withdrawn_by, timezone.now()
    release.withdrawal_reason = reason.strip()
    release.save(update_fields=["withdrawn_by", "withdrawn_at", "withdrawal_reason"])
    release.grants.update(asked_at=None)
    _move(release.request, Status.WITHDRAWN)
    record_event(
        "release.withdrawn",
        actor=withdrawn_by,
        team=team_of_release(release),
        subject=release,
        facts={"copies_taken": release.downloads.count()},
    )
    tell_that_release_was_withdrawn(release, but=withdrawn_by)
    return release


def _move(request: ReviewRequest, target: Status) -> None:
    move_request(request, target)
    request.save(update_fields=["status", "changed_at"])
