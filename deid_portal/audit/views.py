from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from deid_portal.accounts.people import person_of, team_of_or_404
from deid_portal.accounts.permissions import DATASET_ROLES, roles_of
from deid_portal.audit.selectors import events_of_team

EVENTS_PER_PAGE = 50


@require_GET
def show(request: HttpRequest) -> HttpResponse:
    person, team = person_of(request), team_of_or_404(request)
    if not roles_of(person, team) & DATASET_ROLES:
        raise Http404
    page = Paginator(events_of_team(team.id), EVENTS_PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "audit/show.html", {"page": page})
