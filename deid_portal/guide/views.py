from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_GET

from deid_portal.accounts.models import Role, Team, User
from deid_portal.accounts.people import person_of
from deid_portal.accounts.permissions import DATASET_ROLES, has_role, roles_of
from deid_portal.accounts.selectors import current_team
from deid_portal.audit.verification import last_verification
from deid_portal.audit_trail.selectors import events_of_team
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.permissions import check_can_upload
from deid_portal.datasets.selectors import datasets_of_team, get_dataset_or_404
from deid_portal.guide.help_groups import group_of, list_help_groups, list_words, page_after
from deid_portal.guide.help_pages import find_help_page
from deid_portal.guide.help_search import search_help
from deid_portal.guide.home import (
    TABS,
    count_tabs,
    datasets_in_tab,
    describe_datasets,
    title_of_home,
)
from deid_portal.guide.jobs import Jobs, glance_at_jobs, jobs_of
from deid_portal.guide.pending_items import WaitingLine, waiting_for
from deid_portal.guide.steps import load_for_steps, next_step, steps_of
from deid_portal.notices.selectors import notices_of
from deid_portal.policies.selectors import policy_in_force
from deid_portal.querydesk.statements import budgets_of_team
from deid_portal.releases.selectors import describe_releases, releases_of_team
from deid_portal.reviews.selectors import requests_of_team
from deid_portal.web.http import STOP_POLLING
from deid_portal.web.refusals import refusal

DATASETS_SHOWN = 20
OWN_SHOWN = 3
RELEASES_SHOWN = 5
REQUESTS_SHOWN = 8
TASKS_IN_BELL = 5
NEWS_IN_BELL = 6
RESULTS_BESIDE_DATASETS = 12
LONGEST_SEARCH = 200


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    person = person_of(request)
    team = current_team(person, request.session)
    if team is None:
        return render(request, "guide/no_team.html")
    roles = roles_of(person, team)
    waiting = waiting_for(person, team)
    context: dict[str, Any] = {
        "waiting": waiting,
        "works_on_datasets": bool(roles & DATASET_ROLES),
        "releases": describe_releases(releases_of_team(person, team)[:RELEASES_SHOWN]),
        "budgets": budgets_of_team(person, team),
        "upload_refusal": refusal(check_can_upload, person, team),
        "help_slug": "home",
    }
    if roles & DATASET_ROLES:
        jobs = jobs_of(person, team)
        context |= {
            "jobs": jobs,
            "policy": policy_in_force(team),
            "event_count": events_of_team(team.id).count(),
            "verification": last_verification(),
            **_datasets(request, person, team, waiting, jobs),
        }
    if Role.APPROVER in roles and Role.STEWARD not in roles:
        context["requests"] = requests_of_team(person, team)[:REQUESTS_SHOWN]
    own = context.get("own_lines", [])
    context["title"] = title_of_home(len(waiting), len(own))
    context["own_shown"] = own[:OWN_SHOWN]
    return render(request, "guide/home.html", context)


def _datasets(
    request: HttpRequest, person: User, team: Team, waiting: list[WaitingLine], jobs: Jobs
) -> dict[str, Any]:
    """Return the table of datasets: tab, filter, page."""
    everything = datasets_of_team(person, team)
    wanted = _wanted(request)
    tab = request.GET.get("show", "active")
    tab = tab if tab in TABS else "active"
    shown = everything.filter(name__icontains=wanted) if wanted else everything
    counts = count_tabs(shown)
    datasets = datasets_in_tab(shown, tab)
    page = Paginator(datasets, DATASETS_SHOWN).get_page(request.GET.get("page"))
    own = _own_datasets(person, team)
    # Described together, so that both cost the queries of one.
    lines = {
        line.dataset.id: line
        for line in describe_datasets({*page, *own}, waiting, jobs.of_datasets())
    }
    return {
        "page": page,
        "lines": [lines[dataset.id] for dataset in page if dataset.id in lines],
        "own_lines": [
            lines[dataset.id]
            for dataset in own
            if dataset.id in lines and lines[dataset.id].is_for(person)
        ],
        "wanted": wanted,
        "tab": tab,
        "tabs": [(name, label, counts[name]) for name, label in TABS.items()],
        "dataset_count": sum(counts.values()),
        "page_query": f"&{urlencode({'show': tab, 'q': wanted})}",
    }


def _own_datasets(person: User, team: Team) -> list[Dataset]:
    """Return the newest datasets that a steward may have to go on with, wherever they stand."""
    if not has_role(person, team, Role.STEWARD):
        return []
    uploaded_or_asked = Q(created_by=person) | Q(runs__requests__asked_by=person)
    ids = Dataset.objects.filter(uploaded_or_asked).values("id")
    active = datasets_in_tab(datasets_of_team(person, team).filter(id__in=ids), "active")
    return list(active[:DATASETS_SHOWN])


@require_GET
def enter(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """Open a dataset at its current step."""
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    steps = steps_of(load_for_steps([dataset.id])[dataset.id])
    return redirect(next_step(steps).url or steps[0].url)


@require_GET
def running(request: HttpRequest) -> HttpResponse:
    """The box of running jobs, polled while there are any; then the datasets are reloaded."""
    person = person_of(request)
    team = current_team(person, request.session)
    if team is None:
        raise Http404
    jobs = glance_at_jobs(person, team)
    if jobs.open_runs:
        return render(request, "guide/_running.html", {"jobs": jobs})
    answer = render(request, "guide/_running.html", {"jobs": jobs}, status=STOP_POLLING)
    answer["HX-Trigger"] = "runs-ended"
    return answer


@require_GET
def bell(request: HttpRequest) -> HttpResponse:
    """The contents of the opened bell: waiting items and the latest notices."""
    person = person_of(request)
    team = current_team(person, request.session)
    context = {
        "waiting": waiting_for(person, team)[:TASKS_IN_BELL] if team else [],
        "news": notices_of(person)[:NEWS_IN_BELL],
    }
    return render(request, "guide/_bell.html", context)


def _wanted(request: HttpRequest) -> str:
    return request.GET.get("q", "").replace("\0", "").strip()[:LONGEST_SEARCH]


@require_GET
def find(request: HttpRequest) -> HttpResponse:
    """Find datasets and networks by name, and pages of the help: what the loupe on top leads to."""
    person, wanted = person_of(request), _wanted(request)
    team = current_team(person, request.session)
    datasets: Iterable[Dataset] = ()
    if wanted and team is not None and roles_of(person, team) & DATASET_ROLES:
        found = datasets_of_team(person, team).filter(name__icontains=wanted)
        datasets = found[:DATASETS_SHOWN]
    context = {
        "wanted": wanted,
        "datasets": datasets,
        "results": search_help(wanted)[:RESULTS_BESIDE_DATASETS],
    }
    return render(request, "guide/find.html", context)


@require_GET
def help_index(request: HttpRequest) -> HttpResponse:
    wanted = _wanted(request)
    context = {
        "wanted": wanted,
        "results": search_help(wanted),
        "groups": list_help_groups(),
        "words": list_words(),
    }
    return render(request, "guide/help_index.html", context)


@require_GET
def help_page(request: HttpRequest, slug: str) -> HttpResponse:
    page = find_help_page(slug)
    if page is None:
        raise Http404
    # Our own files, rendered with raw HTML disabled.
    html = mark_safe(page.html)  # noqa: S308
    context = {"help": page, "html": html, "group": group_of(page), "next": page_after(page)}
    return render(request, "guide/help_page.html", context)
