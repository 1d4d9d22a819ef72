"""Repeat the plan of a release on the next version."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from deid_portal.accounts.people import person_of
from deid_portal.releases.permissions import check_may_repeat
from deid_portal.releases.repetition import DoesNotFit, next_version_of, repeat_release
from deid_portal.releases.selectors import get_release_or_404
from deid_portal.web.refusals import Refused


@require_POST
def repeat(request: HttpRequest, release_id: UUID) -> HttpResponse:
    """Start a run on the next version, or show what is missing."""
    person = person_of(request)
    release = get_release_or_404(person, release_id)
    check_may_repeat(person, release)
    found = next_version_of(person, release).dataset
    if found is None:
        upload = f"{reverse('datasets:new')}?next_of={release.request.run.dataset_id}"
        return redirect(upload)
    if not found.is_ready:
        return redirect(found.get_absolute_url())
    try:
        run = repeat_release(release=release, dataset=found, repeated_by=person)
    except DoesNotFit as reason:
        messages.warning(request, str(reason))
        return redirect("versions:drift", found.id)
    except Refused as reason:
        messages.error(request, str(reason))
        return redirect("releases:show", release.id)
    return redirect("runs:show", run.id)
