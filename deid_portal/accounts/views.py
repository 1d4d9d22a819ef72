from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from deid_portal.accounts.models import User
from deid_portal.accounts.people import person_of
from deid_portal.accounts.selectors import get_team_of
from deid_portal.accounts.services import set_theme as keep_theme


@require_POST
def switch_team(request: HttpRequest) -> HttpResponse:
    try:
        team = get_team_of(person_of(request), UUID(request.POST.get("team", "")))
    except ValueError:
        team = None
    if team is None:
        raise Http404
    request.session["team"] = str(team.id)
    return redirect("guide:home")


@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    theme = request.POST.get("theme", "")
    if theme not in User.Theme.values:
        return HttpResponseBadRequest("The theme must be auto, light or dark.")
    keep_theme(user=person_of(request), theme=theme)
    if request.headers.get("X-Requested-With") == "fetch":
        return HttpResponse(status=204)
    back = request.headers.get("referer", "")
    is_ours = url_has_allowed_host_and_scheme(back, {request.get_host()})
    return redirect(back if is_ours else "guide:home")
