"""The policy of the team, and its history."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from deid_portal.accounts.people import person_of, team_of_or_404
from deid_portal.accounts.permissions import DATASET_ROLES, roles_of
from deid_portal.policies.forms import PolicyForm
from deid_portal.policies.permissions import check_can_change_policy
from deid_portal.policies.selectors import policy_in_force, versions_of_policy
from deid_portal.policies.services import change_policy
from deid_portal.web.refusals import Refused, refusal

VERSIONS_SHOWN = 20


@require_GET
def show(request: HttpRequest) -> HttpResponse:
    person, team = person_of(request), team_of_or_404(request)
    if not roles_of(person, team) & DATASET_ROLES:
        raise Http404
    policy = policy_in_force(team)
    context = {
        "team": team,
        "policy": policy,
        "sentences": list(policy.rules.sentences().values()),
        "versions": versions_of_policy(team, VERSIONS_SHOWN),
        "change_refusal": refusal(check_can_change_policy, person, team),
        "help_slug": "policy",
    }
    return render(request, "policies/show.html", context)


@require_http_methods(["GET", "POST"])
def change(request: HttpRequest) -> HttpResponse:
    person, team = person_of(request), team_of_or_404(request)
    check_can_change_policy(person, team)
    policy = policy_in_force(team)
    form = PolicyForm(request.POST or None, rules=policy.rules)
    if request.method == "POST" and form.is_valid():
        try:
            changed = change_policy(
                team=team,
                changed_by=person,
                rules=form.to_rules(),
                reason=form.cleaned_data["reason"],
            )
        except Refused as reason:
            form.add_error(None, str(reason))
        else:
            messages.success(request, f"Policy version {changed.version} is in force.")
            return redirect("policies:show")
    context = {"team": team, "policy": policy, "form": form, "help_slug": "policy"}
    status = 422 if form.errors else 200
    return render(request, "policies/change.html", context, status=status)
