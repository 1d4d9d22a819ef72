"""Addresses for comments on charts, while the run is in review."""

from typing import Any
from urllib.parse import quote

from django import template
from django.urls import reverse

from deid_portal.runs.models import Run

register = template.Library()
# Review states in which comments are made (as text, since `reviews` must not be imported here).
TALKED_ABOUT = ("submitted", "changes-requested", "approved")
# The section of the report a chart belongs to, for charts that are also shown in other sections.
PARTS = {
    "risk": "Risk",
    "classes": "Groups",
    "columns": "Detail lost",
    "left-out": "Left out",
    "who-pays-left-out": "Who pays",
    "who-pays-lost": "Who pays",
    "attack": "Attacks",
}


def request_talked_about(run: Run) -> str:
    """Return the address of the review request of a run, or ""."""
    request = run.requests.filter(status__in=TALKED_ABOUT).first()
    return reverse("reviews:show", args=[request.id]) if request is not None else ""


@register.simple_tag(takes_context=True)
def comment_address(context: dict[str, Any], name: str) -> str:
    """Return the address for a comment on a chart or card; "" if its run is not in review."""
    if not context.get("talk_address"):
        return ""
    section = context.get("section")
    part = PARTS.get(name) or (section.title if section else "")
    return f"{context['talk_address']}?about=chart:{quote(part)}#conversation"
