"""Step 8: who may download on which terms, and withdrawing the release."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from deid_portal.accounts.people import person_of
from deid_portal.releases.forms import NamePersonForm, TermsForm, WithdrawForm
from deid_portal.releases.grants import (
    ask_for_period,
    change_terms,
    check_can_ask_for_period,
    decline_period,
    end_period,
    most_allowed,
    name_person,
    people_to_name,
)
from deid_portal.releases.models import Grant, Release
from deid_portal.releases.pages import Forms
from deid_portal.releases.permissions import check_may_hand_over
from deid_portal.releases.selectors import get_grant_or_404, get_release_or_404, grant_of
from deid_portal.releases.services import check_can_withdraw_release, withdraw_release
from deid_portal.releases.views.release import show_page
from deid_portal.web.refusals import Refused


@require_POST
def name(request: HttpRequest, release_id: UUID) -> HttpResponse:
    person = person_of(request)
    release = get_release_or_404(person, release_id)
    check_may_hand_over(person, release)
    people, most = people_to_name(release), most_allowed(release)
    form = NamePersonForm(request.POST, people=people, most=most)
    if not form.is_valid():
        return show_page(request, release, Forms(name=form))
    named = form.cleaned_data["person"]
    try:
        name_person(release=release, person=named, terms=form.terms, named_by=person)
        messages.success(request, f"{named.display_name} may download now, and was told.")
    except Refused as reason:
        messages.error(request, str(reason))
    return _back(release)


@require_POST
def change(request: HttpRequest, release_id: UUID, grant_id: UUID) -> HttpResponse:
    release, grant = _grant(request, release_id, grant_id)
    form = TermsForm(request.POST, most=most_allowed(release), grant=grant)
    if not form.is_valid():
        return show_page(request, release, Forms(terms=(grant, form)))
    try:
        change_terms(grant=grant, terms=form.terms, changed_by=person_of(request))
        messages.success(request, f"Saved; {grant.person.display_name} was told.")
    except Refused as reason:
        messages.error(request, str(reason))
    return _back(release)


@require_POST
def end(request: HttpRequest, release_id: UUID, grant_id: UUID) -> HttpResponse:
    release, grant = _grant(request, release_id, grant_id)
    try:
        end_period(grant=grant, ended_by=person_of(request))
    except Refused as reason:
        messages.error(request, str(reason))
    return _back(release)


@require_POST
def decline(request: HttpRequest, release_id: UUID, grant_id: UUID) -> HttpResponse:
    release, grant = _grant(request, release_id, grant_id)
    try:
        decline_period(grant=grant, declined_by=person_of(request))
    except Refused as reason:
        messages.error(request, str(reason))
    return _back(release)


def _grant(request: HttpRequest, release_id: UUID, grant_id: UUID) -> tuple[Release, Grant]:
    person = person_of(request)
    release = get_release_or_404(person, release_id)
    check_may_hand_over(person, release)
    return release, get_grant_or_404(release, grant_id)


@require_POST
def ask(request: HttpRequest, release_id: UUID) -> HttpResponse:
    person = person_of(request)
    release = get_release_or_404(person, release_id)
    grant = grant_of(person, release)
    try:
        check_can_ask_for_period(grant)
        if grant is not None:
            ask_for_period(grant=grant)
            messages.success(request, "Asked. The stewards of the team were told.")
    except Refused as reason:
        messages.error(request, str(reason))
    return _back(release)


@require_POST
def withdraw(request: HttpRequest, release_id: UUID) -> HttpResponse:
    person = person_of(request)
    release = get_release_or_404(person, release_id)
    check_can_withdraw_release(person, release)
    form = WithdrawForm(request.POST, release=release)
    if not form.is_valid():
        return show_page(request, release, Forms(withdraw=form))
    try:
        withdraw_release(release=release, withdrawn_by=person, **form.cleaned_data)
        messages.success(request, "Withdrawn. Downloads have stopped and everybody named was told.")
    except Refused as reason:
        messages.error(request, str(reason))
    return _back(release)


def _back(release: Release) -> HttpResponse:
    return redirect("releases:show", release.id)
