from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.http import require_GET, require_POST

from deid_portal.accounts.models import Team
from deid_portal.accounts.people import person_of, team_of_or_404
from deid_portal.audit.chain_check import last_failed_check, open_check
from deid_portal.audit.models import Event
from deid_portal.audit.verification import last_verification
from deid_portal.audit_trail.exports import CONTENT_TYPES, WRITERS, begin_export
from deid_portal.audit_trail.forms import SearchForm
from deid_portal.audit_trail.permissions import check_may_export, check_may_verify, may_look
from deid_portal.audit_trail.rows import audit_row_of
from deid_portal.audit_trail.selectors import events_of_team, search
from deid_portal.audit_trail.services import ask_for_verification
from deid_portal.web.http import STOP_POLLING
from deid_portal.web.refusals import refusal
from deid_portal.work.queue import is_queue_reachable

EVENTS_PER_PAGE = 50


def _team_or_404(request: HttpRequest) -> Team:
    team = team_of_or_404(request)
    if not may_look(person_of(request), team):
        raise Http404
    return team


@require_GET
def show(request: HttpRequest) -> HttpResponse:
    team = _team_or_404(request)
    form = SearchForm(request.GET, team_id=team.id)
    events = events_of_team(team.id)
    found = search(events, form.to_wanted()) if form.is_valid() else Event.objects.none()
    page = Paginator(found, EVENTS_PER_PAGE).get_page(request.GET.get("page"))
    asked = request.GET.copy()
    asked.pop("page", None)
    context = {
        "page": page,
        "rows": [audit_row_of(event) for event in page],
        "form": form,
        "is_searched": any(asked.values()),
        "page_query": f"&{asked.urlencode()}" if asked else "",
        "about": _about(form, events),
        **_verified(request, team),
        "export_refusal": refusal(check_may_export, person_of(request), team),
        "help_slug": "audit",
    }
    return render(request, "audit/show.html", context)


def _verified(request: HttpRequest, team: Team) -> dict[str, Any]:
    check = open_check()
    return {
        "verification": last_verification(),
        "check": check,
        "failed_check": None if check else last_failed_check(),
        "verify_refusal": refusal(check_may_verify, person_of(request), team),
        "queue_is_away": check is not None and not is_queue_reachable(),
    }


@require_POST
def verify(request: HttpRequest) -> HttpResponse:
    ask_for_verification(team=_team_or_404(request), asked_by=person_of(request))
    return redirect("audit:show")


@require_GET
def verification(request: HttpRequest) -> HttpResponse:
    """The state of the chain, polled while it is verified; status 286 ends polling."""
    context = _verified(request, _team_or_404(request))
    status = 200 if context["check"] else STOP_POLLING
    return render(request, "audit/_verification.html", context, status=status)


def _about(form: SearchForm, events: QuerySet[Event]) -> str:
    """Return the name of the object whose records are shown, from its newest record."""
    wanted = form.cleaned_data.get("object")
    newest = events.filter(subject_id=wanted).first() if wanted else None
    return newest.subject_name if newest else ""


@require_POST
def export_found(request: HttpRequest) -> HttpResponseBase:
    """Export the found records as a file; by POST, because it writes a record."""
    person, team = person_of(request), _team_or_404(request)
    check_may_export(person, team)
    form, file_format = SearchForm(request.POST, team_id=team.id), request.POST.get("format", "")
    if not form.is_valid() or file_format not in WRITERS:
        return HttpResponse("Search again, then export what was found.", status=422)
    export = begin_export(
        team=team, exported_by=person, wanted=form.to_wanted(), file_format=file_format
    )
    name = f"audit-{slugify(team.name) or 'team'}-{timezone.localdate()}.{file_format}"
    return StreamingHttpResponse(
        export.content(),
        content_type=CONTENT_TYPES[file_format],
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
