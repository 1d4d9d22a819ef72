"""Step 8: hand it over."""

from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_GET

from deid_portal.accounts.people import person_of, team_of_or_404
from deid_portal.accounts.permissions import DATASET_ROLES, roles_of
from deid_portal.common.refusals import refusal
from deid_portal.releases.package import (
    check_rows_are_the_approved_ones,
    contents_of,
    package_name,
    stream_package,
)
from deid_portal.releases.permissions import check_may_download
from deid_portal.releases.selectors import get_release_or_404, releases_of_team
from deid_portal.releases.services import record_download
from deid_portal.reports.verdicts import key_numbers, verdict_of

RELEASES_PER_PAGE = 50


@require_GET
def list_releases(request: HttpRequest) -> HttpResponse:
    person, team = person_of(request), team_of_or_404(request)
    releases = releases_of_team(person, team)
    page = Paginator(releases, RELEASES_PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "releases/list.html", {"page": page})


@require_GET
def show(request: HttpRequest, release_id: UUID) -> HttpResponse:
    person = person_of(request)
    release = get_release_or_404(person, release_id)
    run = release.request.run
    sees_dataset = bool(roles_of(person, run.dataset.team) & DATASET_ROLES)
    context = {
        "dataset": run.dataset,
        "release": release,
        "run": run,
        "files": contents_of(release),
        "package_name": package_name(release),
        "verdict": verdict_of(run.report),
        "key_numbers": key_numbers(run.report),
        "report": run.report,
        "sees_dataset": sees_dataset,
        "release_base": "dataset_base.html"
        if sees_dataset
        else "releases/_base_without_dataset.html",
        "current": "release",
        "help_slug": "release",
        "downloads": release.downloads.select_related("person")[:20],
        "download_refusal": refusal(check_may_download, person, release),
    }
    return render(request, "releases/show.html", context)


@require_GET
def download(request: HttpRequest, release_id: UUID) -> HttpResponseBase:
    person = person_of(request)
    release = get_release_or_404(person, release_id)
    check_rows_are_the_approved_ones(release)
    record_download(release=release, person=person)
    response = StreamingHttpResponse(stream_package(release), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{package_name(release)}"'
    return response
