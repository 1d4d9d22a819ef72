from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_GET

from deid_portal.accounts.people import person_of
from deid_portal.accounts.permissions import DATASET_ROLES, roles_of
from deid_portal.accounts.selectors import current_team
from deid_portal.audit.selectors import events_of_team
from deid_portal.common.http import STOP_POLLING
from deid_portal.common.queue import is_queue_reachable
from deid_portal.common.refusals import refusal
from deid_portal.datasets.permissions import check_can_upload
from deid_portal.datasets.selectors import datasets_of_team, get_dataset_or_404
from deid_portal.guide.awaiting import waiting_for
from deid_portal.guide.help_pages import find_help_page, list_help_pages
from deid_portal.guide.home import describe_datasets, describe_runs, title_of
from deid_portal.guide.steps import load_for_steps, next_step, steps_of
from deid_portal.notices.selectors import notices_of
from deid_portal.releases.selectors import releases_of_team
from deid_portal.runs.selectors import open_runs_of_team

DATASETS_SHOWN = 12
RELEASES_SHOWN = 5
TASKS_IN_BELL = 5
NEWS_IN_BELL = 6


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    person = person_of(request)
    team = current_team(person, request.session)
    if team is None:
        return render(request, "guide/no_team.html")
    works_on_datasets = bool(roles_of(person, team) & DATASET_ROLES)
    waiting = waiting_for(person, team)
    datasets = datasets_of_team(person, team)
    runs = list(open_runs_of_team(person, team)) if works_on_datasets else []
    context = {
        "title": title_of(len(waiting)),
        "waiting": waiting,
        "works_on_datasets": works_on_datasets,
        "lines": describe_datasets(datasets[:DATASETS_SHOWN], waiting),
        "dataset_count": datasets.count(),
        "runs": describe_runs(runs),
        "queue_is_away": bool(runs) and not is_queue_reachable(),
        "releases": releases_of_team(person, team)[:RELEASES_SHOWN],
        "event_count": events_of_team(team.id).count(),
        "upload_refusal": refusal(check_can_upload, person, team),
    }
    return render(request, "guide/home.html", context)


@require_GET
def enter(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """Open a dataset where its work stands."""
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    steps = steps_of(load_for_steps([dataset.id])[dataset.id])
    return redirect(next_step(steps).url or steps[0].url)


@require_GET
def running(request: HttpRequest) -> HttpResponse:
    """The box of running jobs, polled while there are any."""
    person = person_of(request)
    team = current_team(person, request.session)
    if team is None:
        raise Http404
    runs = list(open_runs_of_team(person, team))
    context = {
        "runs": describe_runs(runs),
        "queue_is_away": bool(runs) and not is_queue_reachable(),
    }
    return render(request, "guide/_running.html", context, status=200 if runs else STOP_POLLING)


@require_GET
def bell(request: HttpRequest) -> HttpResponse:
    """What the bell shows once it is opened: what waits, and the latest news."""
    person = person_of(request)
    team = current_team(person, request.session)
    context = {
        "waiting": waiting_for(person, team)[:TASKS_IN_BELL] if team else [],
        "news": notices_of(person)[:NEWS_IN_BELL],
    }
    return render(request, "guide/_bell.html", context)


@require_GET
def help_index(request: HttpRequest) -> HttpResponse:
    return render(request, "guide/help_index.html", {"pages": list_help_pages()})


@require_GET
def help_page(request: HttpRequest, slug: str) -> HttpResponse:
    page = find_help_page(slug)
    if page is None:
        raise Http404
    # Our own files, rendered with raw HTML switched off.
    html = mark_safe(page.html)  # noqa: S308
    context = {"help": page, "html": html, "pages": list_help_pages()}
    return render(request, "guide/help_page.html", context)
