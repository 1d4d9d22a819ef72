from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django import template

from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import versions_of_dataset, why_not_continued
from deid_portal.guide.home import DatasetLine, describe_datasets
from deid_portal.guide.steps import load_for_steps, steps_of

register = template.Library()
VERSIONS_SHOWN = 8


@register.inclusion_tag("partials/_steps.html", takes_context=True)
def eight_steps(context: dict[str, Any], dataset: Dataset, current: str) -> dict[str, Any]:
    """Draw the eight steps of a dataset; on pages about one run, later steps are that run's."""
    run = context.get("run")
    loaded = load_for_steps([dataset.id])[dataset.id]
    steps = [
        replace(step, state="current") if step.name == current else step
        for step in steps_of(loaded, run.id if run else None)
    ]
    return {"steps": steps}


@register.simple_tag
def standing_lines(datasets: Iterable[Dataset]) -> list[DatasetLine]:
    """Describe the state of each of these datasets, with few queries for all of them."""
    return describe_datasets(datasets, [])


@register.inclusion_tag("partials/_version_pill.html", takes_context=True)
def version_pill(context: dict[str, Any], dataset: Dataset) -> dict[str, Any]:
    """Draw the version of a dataset as a menu of all versions, with a link to upload the next."""
    versions = list(versions_of_dataset(dataset))
    person = context["request"].user
    return {
        "dataset": dataset,
        "versions": versions[:VERSIONS_SHOWN],
        "more": len(versions) > VERSIONS_SHOWN,
        "is_newest": versions[0].id == dataset.id,
        "may_continue": not why_not_continued(person, versions[0]),
    }
