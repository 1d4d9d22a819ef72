"""The pages of the library of a team, and of the shelf that comes with the portal."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from deid_portal.accounts.models import Role, Team
from deid_portal.accounts.people import person_of, team_of_or_404
from deid_portal.accounts.permissions import DATASET_ROLES, has_role, roles_of
from deid_portal.engine import Column
from deid_portal.engine.taxonomies import Outline, write_json, write_paths
from deid_portal.engine.taxonomies.library import SHELF, ShelfEntry
from deid_portal.taxonomies.downloads import as_download
from deid_portal.taxonomies.library import (
    check_can_keep,
    kept_by_team,
    lay_alone,
    list_team_library,
    remove_from_library,
)
from deid_portal.taxonomies.models import LibraryTaxonomy

NODES_SHOWN = 1500
SHOWN_OPEN = 60


@require_GET
def show_library(request: HttpRequest) -> HttpResponse:
    team = _team_or_404(request)
    context = {
        "kept": list_team_library(team),
        "shelf": list(SHELF.values()),
        "can_change": has_role(person_of(request), team, Role.STEWARD),
        "help_slug": "library",
    }
    return render(request, "taxonomies/library.html", context)


@require_GET
def show_shelf_entry(request: HttpRequest, slug: str) -> HttpResponse:
    _team_or_404(request)
    entry = _entry_or_404(slug)
    outline = _lay_entry(entry)
    return _show_inside(request, outline, {"entry": entry, "name": entry.name})


@require_GET
def export_shelf_entry(request: HttpRequest, slug: str) -> HttpResponse:
    _team_or_404(request)
    entry = _entry_or_404(slug)
    if not entry.is_list:
        raise Http404
    return _download(request, _lay_entry(entry), slug)


@require_GET
def show_kept(request: HttpRequest, kept_id: int) -> HttpResponse:
    """Show a taxonomy of the team; it names values of tables, so only to stewards."""
    kept = _kept_or_404(request, kept_id)
    check_can_keep(person_of(request), kept.team)
    others = kept_by_team(kept.team).filter(name=kept.name)
    context = {"kept": kept, "name": kept.name, "versions": others}
    return _show_inside(request, lay_alone(kept), context)


@require_GET
def export_kept(request: HttpRequest, kept_id: int) -> HttpResponse:
    kept = _kept_or_404(request, kept_id)
    check_can_keep(person_of(request), kept.team)
    return _download(request, lay_alone(kept), f"library-{kept.pk}")


@require_POST
def remove_kept(request: HttpRequest, kept_id: int) -> HttpResponse:
    kept = _kept_or_404(request, kept_id)
    remove_from_library(kept=kept, removed_by=person_of(request))
    messages.success(request, f"{kept.name} was removed from the team library.")
    return redirect("taxonomies:library")


def _team_or_404(request: HttpRequest) -> Team:
    team = team_of_or_404(request)
    if not roles_of(person_of(request), team) & DATASET_ROLES:
        raise Http404
    return team


def _kept_or_404(request: HttpRequest, kept_id: int) -> LibraryTaxonomy:
    mine = LibraryTaxonomy.objects.filter(
        team__memberships__user=person_of(request), team__memberships__role__in=DATASET_ROLES
    )
    return get_object_or_404(mine.distinct(), id=kept_id)


def _entry_or_404(slug: str) -> ShelfEntry:
    if slug not in SHELF:
        raise Http404
    return SHELF[slug]


def _lay_entry(entry: ShelfEntry) -> Outline:
    return entry.outline(Column.from_cells(entry.slug, entry.shown()))


def _show_inside(request: HttpRequest, outline: Outline, about: dict[str, Any]) -> HttpResponse:
    labels = [branch.label for branch in outline.values()]
    # One row per value, so that the counts beside nodes are numbers of values.
    column = Column.from_cells(about["name"], labels)
    few = len(labels) <= SHOWN_OPEN
    context = {
        **about,
        "node": outline.taxonomy().tree(column, limit=NODES_SHOWN),
        "value_count": len(labels),
        "height": outline.height,
        "open_from": 0 if few else outline.height,
        "help_slug": "library",
    }
    return render(request, "taxonomies/library_inside.html", context)


def _download(request: HttpRequest, outline: Outline, name: str) -> HttpResponse:
    if request.GET.get("form") == "json":
        return as_download(write_json(outline), "application/json", f"{name}.json")
    return as_download(write_paths(outline.paths()), "text/csv; charset=utf-8", f"{name}.csv")
