"""What is published with a release: the plan without hidden values, allowed report entries."""

from deid_portal.engine.publication.in_house import band_of, show_in_house, show_summary_in_house
from deid_portal.engine.publication.publication import Publication
from deid_portal.engine.publication.published_plan import hide_values, publish_plan, values_behind
from deid_portal.engine.publication.published_report import (
    hide_values_in_report,
    promises_privacy,
    publish_report,
)

__all__ = [
    "Publication",
    "band_of",
    "hide_values",
    "hide_values_in_report",
    "promises_privacy",
    "publish_plan",
    "publish_report",
    "show_in_house",
    "show_summary_in_house",
    "values_behind",
]
