"""Step 4: choose what is promised, and see it as a sentence and as the plan."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from deid_portal.accounts.models import User
from deid_portal.accounts.people import person_of
from deid_portal.common.next_bar import Act, NextBar
from deid_portal.common.refusals import entering_step, refusal
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.permissions import can_see_values, check_can_change
from deid_portal.datasets.selectors import get_dataset_or_404
from deid_portal.engine import EngineError
from deid_portal.plans.composition import compose_chosen_plan, compose_plan
from deid_portal.plans.forms import ProtectionForm
from deid_portal.plans.promises import Promise, describe_promise
from deid_portal.plans.services import choose_protection
from deid_portal.taxonomies.policies import check_taxonomies_complete


@require_http_methods(["GET", "POST"])
def protection(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    with entering_step(dataset, "protection"):
        check_taxonomies_complete(dataset)
    if request.method == "GET":
        return _show(request, dataset, ProtectionForm(initial=_initial(dataset), dataset=dataset))
    check_can_change(person_of(request), dataset)
    form = ProtectionForm(request.POST, dataset=dataset)
    if not form.is_valid():
        return _show(request, dataset, form)
    try:
        choose_protection(
            dataset=dataset,
            chosen_by=person_of(request),
            rules=form.to_rules(),
            method=form.to_method(),
        )
    except EngineError as error:
        form.add_error(None, str(error))
        return _show(request, dataset, form)
    if request.POST.get("then") == "start":
        # 307: the browser sends the same POST on to the room that starts runs.
        return redirect("runs:start", dataset.id, preserve_request=True)
    messages.success(request, "The protection is saved.")
    return redirect("plans:protection", dataset.id)


@require_POST
def promise(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """What the answers as they stand would promise; nothing is saved."""
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    check_taxonomies_complete(dataset)
    form = ProtectionForm(request.POST, dataset=dataset)
    context = {"dataset": dataset, **_promised(dataset, form)}
    return render(request, "plans/_promise.html", context)


@require_GET
def plan_document(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """The plan as it stands, for the command line; it may name values, so stewards only."""
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    check_can_change(person_of(request), dataset)
    chosen = getattr(dataset, "protection", None)
    if chosen is None:
        raise Http404
    plan = compose_chosen_plan(chosen).to_plan()
    return JsonResponse(plan.to_document(), json_dumps_params={"indent": 2, "ensure_ascii": False})


def _initial(dataset: Dataset) -> dict[str, Any]:
    chosen = getattr(dataset, "protection", None)
    if chosen is None:
        return {}
    return ProtectionForm.initial_from(dataset, chosen.rules, chosen.method)


def _promised(dataset: Dataset, form: ProtectionForm) -> dict[str, Any]:
    """Return the promise and the cautions of the form's answers, or why there is none."""
    described: Promise | None = None
    problem = ""
    bound = form if form.is_bound else ProtectionForm(_as_posted(form), dataset=dataset)
    if bound.is_valid():
        rules, method = bound.to_rules(), bound.to_method()
        try:
            plan = compose_plan(dataset, rules=rules, method=method).to_plan()
            described = describe_promise(dataset, plan)
        except EngineError as error:
            problem = str(error)
    return {"promise": described, "promise_problem": problem}


def _as_posted(form: ProtectionForm) -> dict[str, Any]:
    return {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}


def _next_bar(person: User, dataset: Dataset) -> NextBar:
    closed = refusal(check_can_change, person, dataset)
    if closed:
        runs = Act("See the runs", url=reverse("runs:list", args=[dataset.id]))
        return NextBar("You can look at this plan.", closed, icon="lock", primary=runs)
    return NextBar(
        "This plan is saved when you start.",
        "A run freezes it; you can change it for the next one.",
        secondary=Act("Save for later", form_id="protection"),
        primary=Act("Start run", form_id="protection", name="then", value="start"),
    )


def _show(request: HttpRequest, dataset: Dataset, form: ProtectionForm) -> HttpResponse:
    person = person_of(request)
    context = {
        "dataset": dataset,
        "form": form,
        "chosen": getattr(dataset, "protection", None),
        "can_change": can_see_values(person, dataset),
        "change_refusal": refusal(check_can_change, person, dataset),
        "current": "protection",
        "help_slug": "protection",
        "bar": _next_bar(person, dataset),
        **_promised(dataset, form),
    }
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "plans/protection.html", context, status=status)
