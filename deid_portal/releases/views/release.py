"""Step 8: the list of releases, and the page of one."""

from urllib.parse import urlencode
from uuid import UUID

from csp.constants import NONE, UNSAFE_INLINE
from csp.decorators import csp_replace
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from deid_portal.accounts.people import person_of, team_of_or_404
from deid_portal.releases.certificates import (
    CERTIFICATE_KINDS,
    certificate_name,
    read_certificate,
)
from deid_portal.releases.models import Release, TableFormat
from deid_portal.releases.packages import package_of
from deid_portal.releases.pages import Forms, PageRequest, describe_packing, describe_page
from deid_portal.releases.selectors import (
    FILTERS,
    describe_releases,
    filter_releases,
    get_release_or_404,
    releases_of_team,
)
from deid_portal.web.http import go_to

RELEASES_PER_PAGE = 50
# A certificate is a single file with inline style, without scripts and external resources.
ONLY_ITS_OWN_STYLE = {"default-src": [NONE], "style-src": [UNSAFE_INLINE]}


@require_GET
def list_releases(request: HttpRequest) -> HttpResponse:
    person, team = person_of(request), team_of_or_404(request)
    wanted = request.GET.get("q", "").replace("\0", "").strip()
    show_only = request.GET.get("show", "all")
    show_only = show_only if show_only in FILTERS else "all"
    everything = releases_of_team(person, team)
    releases = filter_releases(everything, person, team, show=show_only, wanted=wanted)
    page = Paginator(releases, RELEASES_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "lines": describe_releases(page.object_list),
        "wanted": wanted,
        "show": show_only,
        "filters": [(name, label) for name, (label, _) in FILTERS.items()],
        "is_filtered": bool(wanted) or show_only != "all",
        "page_query": f"&{urlencode({'show': show_only, 'q': wanted})}",
        "help_slug": "release",
    }
    return render(request, "releases/list.html", context)


@require_GET
def show(request: HttpRequest, release_id: UUID) -> HttpResponse:
    return show_page(request, get_release_or_404(person_of(request), release_id))


def show_page(request: HttpRequest, release: Release, forms: Forms | None = None) -> HttpResponse:
    """Render the page; with status 422 if a submitted form has errors."""
    wanted = PageRequest(
        chosen_format(request), request.GET.get("change", ""), "add" in request.GET
    )
    context = describe_page(person_of(request), release, wanted, forms)
    return render(request, "releases/show.html", context, status=422 if forms else 200)


def chosen_format(request: HttpRequest) -> str:
    chosen = request.GET.get("as", "")
    return chosen if chosen in TableFormat else TableFormat.CSV.value


@require_GET
@csp_replace(ONLY_ITS_OWN_STYLE)  # type: ignore[arg-type]
def certificate(request: HttpRequest, release_id: UUID, kind: str) -> HttpResponse:
    """The certificate from the package; the team can read it even after a withdrawal."""
    release = get_release_or_404(person_of(request), release_id)
    content = read_certificate(release, kind)
    if content is None:
        raise Http404
    answer = HttpResponse(content, content_type=CERTIFICATE_KINDS[kind])
    where = "inline" if kind == "html" else "attachment"
    answer["Content-Disposition"] = f'{where}; filename="{certificate_name(release, kind)}"'
    return answer


@require_GET
def packing(request: HttpRequest, release_id: UUID) -> HttpResponse:
    """The progress of the packing, polled until it has ended."""
    release = get_release_or_404(person_of(request), release_id)
    chosen = chosen_format(request)
    package = package_of(release, chosen)
    if package is None or not package.is_open:
        return go_to(page_of(release, chosen))
    context = {"release": release, "package": package, "packing": describe_packing(package)}
    return render(request, "releases/_packing.html", context)


def page_of(release: Release, chosen: str) -> str:
    address = reverse("releases:show", args=[release.id])
    return address if chosen == TableFormat.CSV else f"{address}?as={chosen}"
