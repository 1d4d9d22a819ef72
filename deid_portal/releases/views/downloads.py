"""Step 8: packing in a format, and downloading."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from deid_portal.accounts.models import User
from deid_portal.accounts.people import person_of
from deid_portal.releases.downloads import begin_download, send_counted
from deid_portal.releases.models import Package, Release
from deid_portal.releases.packages import (
    NOT_PACKED,
    open_package,
    package_name,
    package_of,
    request_package,
)
from deid_portal.releases.permissions import check_may_pack
from deid_portal.releases.policies import Withdrawn, check_can_continue, check_not_withdrawn
from deid_portal.releases.selectors import get_release_or_404, grant_of
from deid_portal.releases.views.release import chosen_format, page_of
from deid_portal.web.ranges import (
    ByteRange,
    NotSatisfiable,
    part_asked_for,
    read_part,
    refuse_range,
)
from deid_portal.web.refusals import Refused


@require_safe
def download(request: HttpRequest, release_id: UUID) -> HttpResponseBase:
    """The package, or the requested range of it; 404 if the release was withdrawn."""
    person = person_of(request)
    release = get_release_or_404(person, release_id)
    try:
        return _answer(request, person, release)
    except Withdrawn:
        raise Http404 from None
    except NotSatisfiable:
        return refuse_range(_ready_package(request, release).size)


def _answer(request: HttpRequest, person: User, release: Release) -> HttpResponseBase:
    check_can_continue(release, grant_of(person, release))
    package = _ready_package(request, release)
    part = part_asked_for(request, _etag(package), package.size)
    if request.method == "HEAD":
        return _dress(HttpResponse(), package, part)
    begun = begin_download(
        release=release, person=person, sha256=package.sha256, size=package.size, part=part
    )
    pieces = read_part(open_package(package), part or ByteRange(0, package.size))
    return _dress(StreamingHttpResponse(send_counted(begun, pieces)), package, part)


def _ready_package(request: HttpRequest, release: Release) -> Package:
    package = package_of(release, chosen_format(request))
    if package is None or not package.is_ready:
        raise Refused(NOT_PACKED)
    return package


def _etag(package: Package) -> str:
    return f'"{package.sha256}"'


def _dress(
    response: HttpResponseBase, package: Package, part: ByteRange | None
) -> HttpResponseBase:
    name = package_name(package.release, package.format)
    response["Content-Type"] = "application/zip"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Accept-Ranges"] = "bytes"
    response["ETag"] = _etag(package)
    response["Content-Length"] = str(part.length if part else package.size)
    if part is not None:
        response.status_code = 206
        response["Content-Range"] = f"bytes {part.start}-{part.end - 1}/{package.size}"
    return response


@require_POST
def pack(request: HttpRequest, release_id: UUID) -> HttpResponse:
    """Request a package with another format, or again after a failure."""
    person = person_of(request)
    release = get_release_or_404(person, release_id)
    chosen = request.POST.get("format", "")
    try:
        check_may_pack(person, release, grant_of(person, release))
        check_not_withdrawn(release)
        request_package(release=release, format=chosen, person=person)
    except Refused as reason:
        messages.error(request, str(reason))
        return redirect("releases:show", release.id)
    return redirect(page_of(release, chosen))
