"""Following an invitation: with the account one has, or with a new one."""

from allauth.account.utils import perform_login
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from deid_portal.accounts.attempts import Secret, count_wrong
from deid_portal.accounts.forms import JoinForm
from deid_portal.accounts.models import Invitation
from deid_portal.accounts.people import person_of
from deid_portal.accounts.selectors import find_invitation
from deid_portal.accounts.services import accept_invitation, join_with_new_account


@login_not_required
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    invitation = find_invitation(token)
    if invitation is None:
        return _show_closed(request)
    if request.method == "POST" and request.user.is_authenticated:
        accept_invitation(invitation=invitation, accepted_by=person_of(request))
        return _welcome(request, invitation)
    if request.method == "POST":
        return _join_as_somebody_new(request, invitation)
    return _show(request, invitation, JoinForm())


def _join_as_somebody_new(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    form = JoinForm(request.POST)
    if not form.is_valid():
        return _show(request, invitation, form)
    user = join_with_new_account(
        invitation=invitation,
        username=form.cleaned_data["username"],
        full_name=form.cleaned_data["full_name"],
        password=form.cleaned_data["password"],
    )
    perform_login(request, user)
    return _welcome(request, invitation)


def _show_closed(request: HttpRequest) -> HttpResponse:
    try:
        count_wrong(request, Secret.INVITATION)
        reason = ""
    except ValidationError as error:
        reason = str(error.message)
    return render(request, "accounts/join_closed.html", {"reason": reason}, status=404)


def _show(request: HttpRequest, invitation: Invitation, form: JoinForm) -> HttpResponse:
    context = {"invitation": invitation, "form": form}
    return render(request, "accounts/join.html", context, status=422 if form.errors else 200)


def _welcome(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    request.session["team"] = str(invitation.team_id)
    messages.success(request, f"Welcome to {invitation.team.name}.")
    return redirect("guide:home")
