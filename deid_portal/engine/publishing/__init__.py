"""What may leave with a release: the plan without hidden values, and the report's allowed part."""

from deid_portal.engine.publishing.in_house import band_of, show_in_house, show_summary_in_house
from deid_portal.engine.publishing.plan import hide_values, publish_plan
from deid_portal.engine.publishing.publication import Publication
from deid_portal.engine.publishing.report import (
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
]
