"""The page of a team's pseudonyms: their key, and the ways back for administrators."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from deid_portal.accounts.people import person_of, team_of_or_404
from deid_portal.accounts.permissions import DATASET_ROLES, roles_of
from deid_portal.pseudonyms.forms import LookUpForm, RotationForm
from deid_portal.pseudonyms.permissions import check_can_look_up, check_can_rotate
from deid_portal.pseudonyms.policies import check_can_be_opened
from deid_portal.pseudonyms.selectors import get_way_back_or_404, keys_of, ways_back_of
from deid_portal.pseudonyms.services import destroy_way_back, look_up, rotate_key
from deid_portal.web.refusals import refusal

LOOK_UPS_SHOWN = 50


@require_GET
def show(request: HttpRequest) -> HttpResponse:
    return _show(request, RotationForm())


def _show(request: HttpRequest, form: RotationForm) -> HttpResponse:
    person, team = person_of(request), team_of_or_404(request)
    if not roles_of(person, team) & DATASET_ROLES:
        raise Http404
    context = {
        "team": team,
        "keys": list(keys_of(team)),
        "ways_back": list(ways_back_of(team)),
        "rotate_refusal": refusal(check_can_rotate, person, team),
        "look_up_refusal": refusal(check_can_look_up, person, team),
        "form": form,
        "help_slug": "pseudonyms",
    }
    return render(request, "pseudonyms/show.html", context, status=422 if form.errors else 200)


@require_POST
def rotate(request: HttpRequest) -> HttpResponse:
    person, team = person_of(request), team_of_or_404(request)
    check_can_rotate(person, team)
    form = RotationForm(request.POST)
    if not form.is_valid():
        return _show(request, form)
    key = rotate_key(team=team, rotated_by=person, reason=form.cleaned_data["reason"])
    messages.success(request, f"Key {key.number} is in force; the next run uses it.")
    return redirect("pseudonyms:show")


@require_http_methods(["GET", "POST"])
@never_cache
@sensitive_post_parameters()
@sensitive_variables("people")
def way_back(request: HttpRequest, way_back_id: UUID) -> HttpResponse:
    """Look up a pseudonym. The answer is only on this page; a reload asks again."""
    person = person_of(request)
    found = get_way_back_or_404(person, way_back_id)
    check_can_look_up(person, found.team)
    form = LookUpForm(request.POST if request.method == "POST" else None)
    people = None
    if request.method == "POST" and form.is_valid():
        people = look_up(
            way_back=found,
            looked_up_by=person,
            pseudonym=form.cleaned_data["pseudonym"],
            reason=form.cleaned_data["reason"],
        )
        form = LookUpForm()
    context = {
        "way_back": found,
        "form": form,
        "people": people,
        "closed": refusal(check_can_be_opened, found),
        "look_ups": found.look_ups.select_related("looked_up_by")[:LOOK_UPS_SHOWN],
        "help_slug": "pseudonyms",
    }
    return render(request, "pseudonyms/way_back.html", context, status=422 if form.errors else 200)


@require_POST
def destroy(request: HttpRequest, way_back_id: UUID) -> HttpResponse:
    found = get_way_back_or_404(person_of(request), way_back_id)
    destroy_way_back(way_back=found, destroyed_by=person_of(request))
    messages.success(request, "The way back was deleted; its pseudonyms lead to nobody any more.")
    return redirect("pseudonyms:show")
