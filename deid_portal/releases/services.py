from django.db import transaction
from django.db.models import Max
from django.urls import reverse

from deid_portal.accounts.models import Role, Team, User
from deid_portal.accounts.selectors import people_with_role
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset
from deid_portal.notices.services import tell
from deid_portal.releases.models import Download, Release
from deid_portal.releases.permissions import check_may_download
from deid_portal.reviews.models import ReviewRequest
from deid_portal.reviews.policies import move


@transaction.atomic
def create_release(*, request: ReviewRequest, approved_by: User) -> Release:
    """Make an approved run downloadable; called by the approval, in its transaction.

    Releases are numbered over all versions of a dataset, so that a number names one.
    """
    dataset = Dataset.objects.select_for_update().get(id=request.run.dataset_id)
    # Two versions may be approved at the same instant; what they share is the team.
    Team.objects.select_for_update().get(id=dataset.team_id)
    of_all_versions = Release.objects.filter(request__run__dataset__series=dataset.series)
    last = of_all_versions.aggregate(last=Max("number"))
    release = Release.objects.create(
        request=request, number=(last["last"] or 0) + 1, approved_by=approved_by
    )
    record_event(
        "release.created",
        actor=approved_by,
        team=dataset.team,
        subject=release,
        facts={"output_sha256": request.output_sha256},
    )
    move(request, ReviewRequest.Status.RELEASED)
    request.save(update_fields=["status", "changed_at"])
    tell(
        [request.asked_by, *people_with_role(dataset.team, Role.ANALYST)],
        f"{release} can be downloaded.",
        kind="release.created",
        url=reverse("releases:show", args=[release.id]),
        team=dataset.team,
        but=approved_by,
    )
    return release


@transaction.atomic
def record_download(*, release: Release, person: User) -> Download:
    """Count a download before the first byte leaves."""
    check_may_download(person, release)
    download = Download.objects.create(release=release, person=person)
    record_event(
        "release.downloaded",
        actor=person,
        team=release.request.run.dataset.team,
        subject=release,
    )
    return download
