"""A person's own account: team, appearance, devices that are signed in."""

from uuid import UUID

from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_POST

from deid_portal.accounts.models import User
from deid_portal.accounts.people import person_of
from deid_portal.accounts.selectors import get_team_of
from deid_portal.accounts.services import end_session
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


@require_GET
def list_sessions(request: HttpRequest) -> HttpResponse:
    sessions = UserSession.objects.purge_and_list(person_of(request))
    newest_first = sorted(sessions, key=lambda session: session.created_at, reverse=True)
    context = {"sessions": newest_first, "help_slug": "account"}
    return render(request, "accounts/sessions.html", context)


@require_POST
def end(request: HttpRequest, session_id: int) -> HttpResponse:
    session = get_object_or_404(UserSession, id=session_id, user=person_of(request))
    end_session(user=person_of(request), session=session)
    messages.success(request, "That device is signed out.")
    return redirect("accounts:sessions")


@require_POST
def end_others(request: HttpRequest) -> HttpResponse:
    person = person_of(request)
    for session in UserSession.objects.filter(user=person):
        if session.session_key != request.session.session_key:
            end_session(user=person, session=session)
    messages.success(request, "All other devices are signed out.")
    return redirect("accounts:sessions")
