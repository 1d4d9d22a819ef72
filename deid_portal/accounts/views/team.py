"""The people of a team: who holds which roles, who is invited."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from deid_portal.accounts.forms import InvitationForm, RolesForm
from deid_portal.accounts.models import Invitation, Role, Team, User
from deid_portal.accounts.people import person_of, team_of_or_404
from deid_portal.accounts.permissions import DATASET_ROLES, roles_of
from deid_portal.accounts.selectors import members_of, open_invitations
from deid_portal.accounts.services import (
    INVITATION_DAYS,
    check_can_manage,
    invite,
    revoke_invitation,
    set_roles,
)
from deid_portal.web.refusals import Refused, refusal

LINK = "invitation_link"


@require_GET
def show(request: HttpRequest) -> HttpResponse:
    # The link of a new invitation is shown once, on the page after it was made.
    return _show(request, InvitationForm(), link=request.session.pop(LINK, ""))


def _show(request: HttpRequest, form: InvitationForm, link: str = "") -> HttpResponse:
    team = team_of_or_404(request)
    manage_refusal = refusal(check_can_manage, person_of(request), team)
    context: dict[str, Any] = {
        "team": team,
        "members": members_of(team),
        "roles": Role.choices,
        "manage_refusal": manage_refusal,
        "invitations": [] if manage_refusal else list(open_invitations(team)),
        "form": form,
        "link": link,
        "link_days": INVITATION_DAYS,
        "can_see_policy": bool(roles_of(person_of(request), team) & DATASET_ROLES),
        "help_slug": "team",
    }
    return render(request, "accounts/team.html", context, status=422 if form.errors else 200)


@require_POST
def invite_person(request: HttpRequest) -> HttpResponse:
    person, team = person_of(request), team_of_or_404(request)
    check_can_manage(person, team)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _show(request, form)
    _, token = invite(
        team=team, invited_by=person, roles=form.chosen(), email=form.cleaned_data["email"]
    )
    request.session[LINK] = request.build_absolute_uri(reverse("accounts:join", args=[token]))
    return redirect("accounts:team")


@require_POST
def revoke(request: HttpRequest, invitation_id: UUID) -> HttpResponse:
    person, team = person_of(request), team_of_or_404(request)
    invitation = get_object_or_404(Invitation, id=invitation_id, team=team)
    revoke_invitation(invitation=invitation, revoked_by=person)
    messages.success(request, "The invitation was taken back; its link opens nothing.")
    return redirect("accounts:team")


@require_POST
def change_roles(request: HttpRequest, user_id: int) -> HttpResponse:
    person, team = person_of(request), team_of_or_404(request)
    member = get_object_or_404(_people_of(team), id=user_id)
    form = RolesForm(request.POST)
    if form.is_valid():
        try:
            set_roles(team=team, user=member, roles=form.chosen(), set_by=person)
        except Refused as reason:
            messages.error(request, str(reason))
        else:
            messages.success(request, _told(member, form.chosen()))
    return redirect("accounts:team")


def _people_of(team: Team) -> Any:
    return User.objects.filter(memberships__team=team).distinct()


def _told(member: User, roles: list[Role]) -> str:
    if not roles:
        return f"{member.display_name} is no longer in the team."
    return f"{member.display_name} is now {', '.join(role.label.lower() for role in roles)}."
