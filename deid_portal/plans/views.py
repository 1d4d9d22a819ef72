"""Step 4: choose the protection, with its promise, its plan document, and its estimated cost."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from deid_portal.accounts.models import User
from deid_portal.accounts.people import person_of
from deid_portal.datasets.kinds import get_table_or_404
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.permissions import can_see_values, check_can_change
from deid_portal.datasets.sealed_upload import SealedUpload, why_refused
from deid_portal.engine import EngineError, Plan
from deid_portal.plans.burdens import worst_of
from deid_portal.plans.choice import (
    PLAIN,
    VIEWS,
    WayToChoose,
    read_choosing,
    show_choosing,
    show_saved,
)
from deid_portal.plans.composition import compose_chosen_plan, has_seed_left_out
from deid_portal.plans.estimation import NoEstimate, RunEstimate, estimate_table_run
from deid_portal.plans.expectations import Expectation, count_states, expect, unmet_rules_summary
from deid_portal.plans.models import Protection
from deid_portal.plans.populations import add_population, remove_population
from deid_portal.plans.prices import chart_of_prices, price_of_hiding, price_of_other_limits
from deid_portal.plans.promises import describe_promise
from deid_portal.plans.services import check_choice, choose_protection
from deid_portal.policies.selectors import policy_in_force
from deid_portal.taxonomies.policies import check_taxonomies_complete
from deid_portal.web.http import wants_part
from deid_portal.web.next_bar import Act, NextBar
from deid_portal.web.refusals import Refused, entering_step, refusal

PLAN_CHANGED = "plan-changed"  # htmx asks for the promise and the estimate again
PLAN_EDITED = "plan-changed, plan-edited"  # and saves
# Estimates count all people, including those left out.
ESTIMATES_FOR_STEWARDS = "Estimates count the people of the table; stewards alone see them."


@require_http_methods(["GET", "POST"])
def protection(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    dataset = get_table_or_404(person_of(request), dataset_id)
    with entering_step(dataset, "protection"):
        check_taxonomies_complete(dataset)
    if request.method == "GET":
        # The other views may name values, which only stewards see.
        wanted = request.GET.get("view", "")
        view = wanted if can_see_values(person_of(request), dataset) else PLAIN
        return _show(request, dataset, show_saved(dataset, view))
    check_can_change(person_of(request), dataset)
    choosing = read_choosing(dataset, request.POST)
    act = request.POST.get("act", "")
    if act.startswith("show "):
        return _show_otherwise(request, dataset, choosing, act.removeprefix("show "))
    if act == "estimate":
        return _show(request, dataset, choosing, estimates=True)
    if act == "prices":
        return _show(request, dataset, choosing, **_priced(dataset, choosing))
    if act and choosing.act(act, request.POST):
        return _show(request, dataset, choosing, event=PLAN_EDITED)
    return _keep(request, dataset, choosing)


def _save(request: HttpRequest, dataset: Dataset, choosing: WayToChoose) -> str | None:
    """Save the choice; return None, or the engine's reason why it is invalid."""
    choice = choosing.read()
    if choice is None:
        return ""
    try:
        choose_protection(
            dataset=dataset,
            chosen_by=person_of(request),
            rules=choice.rules,
            method=choice.method,
            measures=choice.measures,
            weights=choice.weights,
            seed=choice.seed,
            answers=choosing.answers,
        )
    except EngineError as error:
        return str(error)
    return None


def _keep(request: HttpRequest, dataset: Dataset, choosing: WayToChoose) -> HttpResponse:
    problem = _save(request, dataset, choosing)
    if problem is not None:
        if problem:
            choosing.place_error(problem)
        return _show(request, dataset, choosing)
    if request.POST.get("then") == "start":
        # 307: the browser repeats the POST at the view that starts runs.
        return redirect("runs:start", dataset.id, preserve_request=True)
    if request.POST.get("then") == "sweep":
        return redirect("runs:sweep", dataset.id)
    messages.success(request, "The protection is saved.")
    return redirect(f"{reverse('plans:protection', args=[dataset.id])}?view={choosing.view}")


def _show_otherwise(
    request: HttpRequest, dataset: Dataset, choosing: WayToChoose, view: str
) -> HttpResponse:
    """Show the same plan in another view, if it is valid so far; nothing is saved."""
    choice = choosing.read()
    if choice is None:
        return _show(request, dataset, choosing)
    try:
        check_choice(dataset, choice)
    except EngineError as error:
        choosing.place_error(str(error))
        return _show(request, dataset, choosing)
    return _show(request, dataset, show_choosing(dataset, view, choice, choosing.answers))


@require_POST
def keep(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """Save the present choice automatically; returns the time, or the reason why not."""
    dataset = get_table_or_404(person_of(request), dataset_id)
    check_taxonomies_complete(dataset)
    check_can_change(person_of(request), dataset)
    choosing = read_choosing(dataset, request.POST)
    problem = _save(request, dataset, choosing)
    context = {"dataset": dataset, "choosing": choosing, "saved": timezone.localtime()}
    if problem is not None:
        context |= {"saved": None, "not_saved": problem or "some answers need a look"}
    return render(request, "plans/_saved.html", context)


@require_POST
def promise(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """The promise of the present choice; nothing is saved."""
    dataset = get_table_or_404(person_of(request), dataset_id)
    check_taxonomies_complete(dataset)
    choosing = _chosen_by(person_of(request), dataset, request)
    context = {"dataset": dataset, "choosing": choosing, "is_part": True}
    return render(request, "plans/_promise.html", {**context, **_promised(dataset, choosing)})


@require_POST
def estimate(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """The estimate of the present choice.

    By POST, although it changes nothing: rules may name values, and addresses are logged.
    """
    dataset = get_table_or_404(person_of(request), dataset_id)
    check_taxonomies_complete(dataset)
    choosing = _chosen_by(person_of(request), dataset, request)
    plan, problem = _planned(dataset, choosing)
    context: dict[str, Any] = {"dataset": dataset, "is_part": True}
    if can_see_values(person_of(request), dataset):
        context |= _estimated(dataset, plan, problem)
    else:
        context |= {"estimate_problem": ESTIMATES_FOR_STEWARDS}
        context |= _held_against_policy(dataset, plan, None)
    context["bar"] = _next_bar(person_of(request), dataset, context.get("expectations"))
    return render(request, "plans/_estimate_part.html", context)


@require_POST
def prices(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """The cost of hiding among more or fewer people, all else as chosen."""
    dataset = get_table_or_404(person_of(request), dataset_id)
    check_taxonomies_complete(dataset)
    choosing = _chosen_by(person_of(request), dataset, request)
    if can_see_values(person_of(request), dataset):
        priced = _priced(dataset, choosing)
    else:
        priced = {"prices_problem": ESTIMATES_FOR_STEWARDS}
    return render(request, "plans/_prices.html", {"dataset": dataset, **priced})


@require_POST
def add(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """Add a population table that models can compare with."""
    dataset = get_table_or_404(person_of(request), dataset_id)
    check_can_change(person_of(request), dataset)
    upload = request.FILES.get("file")
    if not isinstance(upload, SealedUpload):
        messages.error(request, why_refused(request) or "Choose a file first.")
        return _to_populations(dataset)
    try:
        added = add_population(dataset=dataset, upload=upload, added_by=person_of(request))
    except (Refused, EngineError) as reason:
        messages.error(request, f"Nothing was added. {reason}")
    else:
        messages.success(request, f"{added.rows:,} people were added; a rule can name them now.")
    return _to_populations(dataset)


@require_POST
def remove(request: HttpRequest, dataset_id: UUID, population_id: UUID) -> HttpResponse:
    dataset = get_table_or_404(person_of(request), dataset_id)
    check_can_change(person_of(request), dataset)
    population = get_object_or_404(dataset.populations, id=population_id)
    try:
        remove_population(population=population, removed_by=person_of(request))
    except Refused as reason:
        messages.error(request, str(reason))
    else:
        messages.success(request, "The table is deleted.")
    return _to_populations(dataset)


def _to_populations(dataset: Dataset) -> HttpResponse:
    address = reverse("plans:protection", args=[dataset.id])
    return redirect(f"{address}?view=expert#populations")


@require_GET
def plan_document(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """The present plan document, for the command line; it may name values, so stewards only."""
    dataset = get_table_or_404(person_of(request), dataset_id)
    check_can_change(person_of(request), dataset)
    chosen = getattr(dataset, "protection", None)
    if chosen is None:
        raise Http404
    plan = compose_chosen_plan(chosen).to_plan()
    return JsonResponse(plan.to_document(), json_dumps_params={"indent": 2, "ensure_ascii": False})


def _chosen_by(person: User, dataset: Dataset, request: HttpRequest) -> WayToChoose:
    """Return the choice to show.

    People without the right to change it get the saved one, whatever they post: refusals would
    reveal which values occur in a column.
    """
    if can_see_values(person, dataset):
        return read_choosing(dataset, request.POST)
    return show_saved(dataset, PLAIN)


def _planned(dataset: Dataset, choosing: WayToChoose) -> tuple[Plan | None, str]:
    """Return the plan of the choice, or the reason why there is none."""
    choice = choosing.read()
    if choice is None:
        return None, ""
    try:
        return check_choice(dataset, choice), ""
    except EngineError as error:
        return None, choosing.say(str(error))


def _promised(dataset: Dataset, choosing: WayToChoose) -> dict[str, Any]:
    plan, problem = _planned(dataset, choosing)
    if plan is not None:
        choosing.take_note_of(plan)
    described = describe_promise(dataset, plan) if plan is not None else None
    return {"promise": described, "promise_problem": problem}


def _estimated(dataset: Dataset, plan: Plan | None, problem: str) -> dict[str, Any]:
    if plan is None:
        return {"estimate_problem": problem or "The choice is not complete yet."}
    try:
        estimate = estimate_table_run(dataset, plan)
    except NoEstimate as reason:
        return {"estimate_problem": str(reason), **_held_against_policy(dataset, plan, None)}
    return {"estimate": estimate, **_held_against_policy(dataset, plan, estimate)}


def _held_against_policy(
    dataset: Dataset, plan: Plan | None, estimate: RunEstimate | None
) -> dict[str, Any]:
    """The comparison of a plan with the team's policy, and who would pay."""
    if plan is None:
        return {}
    policy = policy_in_force(dataset.team)
    lines = expect(policy.rules, plan, estimate)
    burdens = estimate.burdens if estimate is not None else ()
    return {
        "policy": policy,
        "expectations": lines,
        "expectation_counts": count_states(lines),
        "payer": worst_of(burdens, policy.rules.smallest_group_judged),
    }


def _priced(dataset: Dataset, choosing: WayToChoose) -> dict[str, Any]:
    choice = choosing.read()
    if choice is None:
        return {"prices_problem": "The choice is not complete yet."}
    try:
        own = price_of_hiding(dataset, choice)
        others = price_of_other_limits(dataset, choice)
        return {"prices": chart_of_prices(own, choice, others)}
    except (NoEstimate, EngineError) as reason:
        return {"prices_problem": str(reason)}


def _next_bar(
    person: User, dataset: Dataset, expectations: list[Expectation] | None = None
) -> NextBar:
    closed = refusal(check_can_change, person, dataset)
    if closed:
        runs = Act("See the runs", url=reverse("runs:list", args=[dataset.id]))
        return NextBar("You can look at this plan.", closed, icon="lock", primary=runs)
    start = Act("Start run", form_id="protection", name="then", value="start", key="Ctrl+Enter")
    fails = unmet_rules_summary(expectations or [])
    return NextBar(
        "This plan can run." if expectations else "A run freezes the plan.",
        fails or "You can change it for the next one.",
        icon="circle-check" if expectations else "info-circle",
        tone="ok" if expectations and not fails else "",
        secondary=Act("Sweep", form_id="protection", name="then", value="sweep", icon="stack-2"),
        primary=start,
    )


def _show(
    request: HttpRequest,
    dataset: Dataset,
    choosing: WayToChoose,
    *,
    estimates: bool = False,
    event: str = PLAN_CHANGED,
    **shown: Any,
) -> HttpResponse:
    person = person_of(request)
    chosen: Protection | None = getattr(dataset, "protection", None)
    held = _held_against_policy(dataset, _planned(dataset, choosing)[0], None)
    context = {
        "dataset": dataset,
        "choosing": choosing,
        "views": VIEWS,
        "populations": dataset.populations.select_related("added_by"),
        "chosen": chosen,
        "seed_is_left_out": chosen is not None and has_seed_left_out(chosen),
        "can_change": can_see_values(person, dataset),
        "change_refusal": refusal(check_can_change, person, dataset),
        "current": "protection",
        "help_slug": "protection",
        "bar": _next_bar(person, dataset, held.get("expectations")),
        **_promised(dataset, choosing),
        **held,
        **shown,
    }
    if estimates:
        context |= _estimated(dataset, *_planned(dataset, choosing))
    status = 422 if choosing.has_errors else 200
    response = render(request, "plans/protection.html", context, status=status)
    if wants_part(request):
        response.headers["HX-Trigger-After-Swap"] = event
    return response
