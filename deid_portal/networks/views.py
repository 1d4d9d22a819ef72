"""The steps that only networks have: files, risk, protection."""

from typing import Any, cast
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from deid_portal.accounts.people import person_of, team_of_or_404
from deid_portal.accounts.permissions import DATASET_ROLES, roles_of
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.permissions import can_see_values, check_can_change, check_can_upload
from deid_portal.datasets.policies import check_can_be_forgotten, check_not_in_use, check_was_read
from deid_portal.datasets.progress import describe_reading
from deid_portal.datasets.sealed_upload import SealedUpload, upload_limit_words, why_refused
from deid_portal.datasets.selectors import find_dataset
from deid_portal.engine import EngineError
from deid_portal.engine.charts.networks import drawing_chart, network_risk_chart
from deid_portal.engine.report.network import NetworkDrawing
from deid_portal.networks.changes import degrees_chart, drift_of_network, risk_changes
from deid_portal.networks.forms import ReadAgainForm, UploadNetworkForm
from deid_portal.networks.next_bars import (
    bar_of_changes,
    bar_of_files,
    bar_of_network_upload,
    bar_of_protection,
    bar_of_risk,
)
from deid_portal.networks.policies import (
    check_attributes_decided,
    check_can_read_again,
    check_network_protection_chosen,
)
from deid_portal.networks.protection_choice import open_choosing
from deid_portal.networks.selectors import (
    get_network_or_404,
    latest_network_reading,
    networks_of_team,
    networks_to_continue,
    open_first_lines,
)
from deid_portal.networks.services import (
    choose_network_protection,
    read_network_again,
    stop_network_reading,
    upload_network,
)
from deid_portal.networks.vocabulary import READING_PHASES
from deid_portal.plans.expectations import unmet_rules_summary
from deid_portal.plans.subjects import PlannedSubject
from deid_portal.policies.selectors import policy_in_force
from deid_portal.versions.change_rows import draw_changes
from deid_portal.versions.selectors import (
    carried_over,
    drift_of,
    unplaced_values,
    what_does_not_fit,
)
from deid_portal.web.http import go_to, wants_part
from deid_portal.web.refusals import Refused, refusal
from deid_portal.work.queue import is_queue_reachable

NETWORKS_PER_PAGE = 50


@require_GET
def list_networks(request: HttpRequest) -> HttpResponse:
    person, team = person_of(request), team_of_or_404(request)
    if not roles_of(person, team) & DATASET_ROLES:
        return redirect("releases:list")
    page = Paginator(networks_of_team(person, team), NETWORKS_PER_PAGE)
    refused = refusal(check_can_upload, person, team)
    upload = {"label": "Upload a network", "url": reverse("networks:new"), "icon": "file-upload"}
    context = {
        "page": page.get_page(request.GET.get("page")),
        "upload_refusal": refused,
        "upload_action": None if refused else upload,
        "help_slug": "networks",
    }
    return render(request, "networks/list.html", context)


@require_http_methods(["GET", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    person, team = person_of(request), team_of_or_404(request)
    check_can_upload(person, team)
    offered = networks_to_continue(person, team)
    asked = find_dataset(person, request.GET.get("next_of", ""))
    newest = (own for own in offered if asked is not None and own.series == asked.series)
    form = UploadNetworkForm(offered=offered, initial=_starting(next(newest, None)))
    if request.method == "POST":
        links, nodes = (
            cast(SealedUpload | None, request.FILES.get(name)) for name in ("links", "nodes")
        )
        form = UploadNetworkForm(
            request.POST, links=links, nodes=nodes, refused=why_refused(request), offered=offered
        )
        dataset = _take(form, request)
        if dataset is not None:
            return redirect("networks:show", dataset.id)
    context = {
        "form": form,
        "limit_words": upload_limit_words(),
        "bar": bar_of_network_upload(),
        "help_slug": "networks",
    }
    return render(request, "networks/new.html", context, status=422 if form.errors else 200)


def _starting(continued: Dataset | None) -> dict[str, str]:
    """Initial values of the form; "upload the next version" may link from any version."""
    if continued is None:
        return {"directed": "no"}
    return {
        "next_of": str(continued.id),
        "directed": "yes" if continued.network.is_directed else "no",
    }


def _take(form: UploadNetworkForm, request: HttpRequest) -> Dataset | None:
    """Return the new network, or None with an error in the form."""
    if not form.is_valid() or form.links is None:
        return None
    try:
        return upload_network(
            team=team_of_or_404(request),
            uploaded_by=person_of(request),
            links=form.links,
            nodes=form.nodes,
            name=form.cleaned_data["name"],
            is_directed=form.is_directed,
            next_of=form.chosen,
        )
    except (Refused, EngineError) as error:
        form.add_error(None, str(error))
        return None


@require_GET
def show(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """Step 1: how the files were read, and a form to read them differently."""
    return _show(request, get_network_or_404(person_of(request), dataset_id))


def _show(
    request: HttpRequest, dataset: Dataset, form: ReadAgainForm | None = None
) -> HttpResponse:
    person = person_of(request)
    sees_values = can_see_values(person, dataset)
    first_lines = open_first_lines(dataset) if sees_values else None
    context = {
        "dataset": dataset,
        "network": dataset.network,
        "first_lines": first_lines,
        "form": form or ReadAgainForm(dataset=dataset, first_lines=first_lines),
        "can_change": sees_values,
        "again_refusal": refusal(check_can_read_again, dataset),
        "discard_refusal": refusal(check_not_in_use, dataset),
        "forget_refusal": refusal(check_can_be_forgotten, dataset),
        "bar": bar_of_files(dataset),
        "current": "upload",
        "help_slug": "networks",
        **_reading_context(dataset),
    }
    return render(request, "networks/show.html", context, status=422 if form else 200)


def _reading_context(dataset: Dataset) -> dict[str, Any]:
    current = latest_network_reading(dataset)
    if current is None:
        return {"reading": None}
    waits = current.status == current.Status.QUEUED
    return {
        "reading": current,
        "progress": describe_reading(current, READING_PHASES),
        "queue_is_away": waits and not is_queue_reachable(),
    }


@require_GET
def reading(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """The progress of the reading, polled until it ends; then it redirects to the next step."""
    dataset = get_network_or_404(person_of(request), dataset_id)
    current = latest_network_reading(dataset)
    if current is not None and current.is_open and wants_part(request):
        context = {"dataset": dataset, **_reading_context(dataset)}
        return render(request, "networks/_reading.html", context)
    there = dataset.subject.page_after_reading if dataset.is_ready else "networks:show"
    address = reverse(there, args=[dataset.id])
    return go_to(address) if wants_part(request) else redirect(address)


@require_POST
def stop(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    dataset = get_network_or_404(person_of(request), dataset_id)
    current = latest_network_reading(dataset)
    if current is not None and current.is_open:
        stop_network_reading(reading=current, stopped_by=person_of(request))
    return redirect("networks:show", dataset.id)


@require_POST
def read_again(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    dataset = get_network_or_404(person_of(request), dataset_id)
    check_can_change(person_of(request), dataset)
    form = ReadAgainForm(request.POST, dataset=dataset, first_lines=open_first_lines(dataset))
    if not form.is_valid():
        return _show(request, dataset, form)
    read_network_again(
        dataset=dataset,
        asked_by=person_of(request),
        is_directed=form.cleaned_data["directed"] == "yes",
        id_column=form.cleaned_data.get("id_column", ""),
        has_header=form.says_header,
    )
    return redirect("networks:show", dataset.id)


@require_GET
def changes(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """What changed since the previous version, and which decisions no longer fit."""
    person = person_of(request)
    dataset = get_network_or_404(person, dataset_id)
    check_was_read(dataset)
    sees_values = can_see_values(person, dataset)
    of_columns, of_links = drift_of(dataset), drift_of_network(dataset)
    is_open = of_columns is not None and dataset.is_ready
    unplaced = unplaced_values(dataset) if is_open else []
    misfits = what_does_not_fit(dataset, thorough=True) if is_open else []
    rows = []
    if of_columns is not None:
        columns = dataset.columns.defer("profile")
        rows = draw_changes(of_columns, columns, unplaced)
    carried = carried_over(dataset)
    context = {
        "dataset": dataset,
        "before": dataset.previous,
        "drift": of_columns,
        "links": of_links,
        "chart": degrees_chart(of_links, sees_values=sees_values) if of_links else None,
        "risks": risk_changes(dataset),
        "least_k": max(policy_in_force(dataset.team).rules.least_k, 2),
        "misfits": misfits,
        "unplaced": {one.column.position: one for one in unplaced},
        "carried": carried,
        "changed": [row for row in rows if not row.is_quiet],
        "quiet": [row for row in rows if row.is_quiet],
        "can_change": sees_values,
        "bar": bar_of_changes(dataset, misfits, carried, can_change=sees_values)
        if is_open
        else None,
        "current": "upload",
        "help_slug": "networks",
    }
    return render(request, "networks/changes.html", context)


@require_GET
def risk(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """Step 2: how identifiable people are by their links in the original network."""
    person = person_of(request)
    dataset = get_network_or_404(person, dataset_id)
    check_was_read(dataset)
    network = dataset.network
    sees_single_people = can_see_values(person, dataset) and bool(network.drawing)
    drawn = sees_single_people or network.drawing.get("aggregated", False)
    context = {
        "dataset": dataset,
        "network": network,
        "chart": network_risk_chart(network.knowledge_states),
        "drawing": drawing_chart(
            NetworkDrawing.from_document(network.drawing),
            chart_id="drawing",
            title=f"{dataset.rows:,} people and {network.links:,} links",
        )
        if drawn
        else None,
        "story": network.story if sees_single_people else [],
        "sees_values": can_see_values(person, dataset),
        "bar": bar_of_risk(dataset, refusal(check_attributes_decided, dataset)),
        "current": "risk",
        "help_slug": "networks",
    }
    return render(request, "networks/risk.html", context)


@require_http_methods(["GET", "POST"])
def protection(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """Step 3: background knowledge, and the protection against it."""
    person = person_of(request)
    dataset = get_network_or_404(person, dataset_id)
    check_attributes_decided(dataset)
    policy = policy_in_force(dataset.team)
    data = request.POST if request.method == "POST" else None
    if data is not None:
        check_can_change(person, dataset)
    choosing = open_choosing(dataset, policy.rules, data, request.GET.dict())
    if data is not None and not wants_part(request) and not choosing.problem:
        try:
            choose_network_protection(
                dataset=dataset,
                chosen_by=person,
                choice=choosing.to_choice(),
                knowledge=choosing.knowledge,
            )
        except (Refused, EngineError) as reason:
            choosing.problem = str(reason)
        else:
            messages.success(request, "The protection is saved.")
            return redirect("runs:list", dataset.id)
    context = {
        "dataset": dataset,
        "choosing": choosing,
        "policy": policy,
        "can_change": can_see_values(person, dataset),
        "change_refusal": refusal(check_can_change, person, dataset),
        "is_saved": not refusal(check_network_protection_chosen, dataset),
        "expectations": choosing.expectations,
        "expectation_counts": choosing.expectation_counts,
        "bar": bar_of_protection(
            dataset,
            choosing.problem,
            unmet_rules_summary(choosing.expectations),
            can_change=can_see_values(person, dataset),
        ),
        "current": "protection",
        "help_slug": "networks",
    }
    status = 422 if choosing.problem and data is not None and not wants_part(request) else 200
    return render(request, "networks/protection.html", context, status=status)


@require_GET
def plan_document(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """The complete saved plan, for the command line; it may name values, so stewards only."""
    person = person_of(request)
    dataset = get_network_or_404(person, dataset_id)
    check_can_change(person, dataset)
    check_network_protection_chosen(dataset)
    document = PlannedSubject.of(dataset).compose().to_plan().to_document()
    return JsonResponse(document, json_dumps_params={"indent": 2, "ensure_ascii": False})
