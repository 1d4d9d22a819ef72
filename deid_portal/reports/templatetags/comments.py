"""Where a comment on a chart is written, while its run is in review."""

from typing import Any
from urllib.parse import quote

from django import template
from django.urls import reverse

from deid_portal.runs.models import Run

register = template.Library()
# States of a request in which people talk about it; reviews stand after this room.
TALKED_ABOUT = ("submitted", "changes-requested", "approved")
# The part of the report a chart or card belongs to, where it is shown on another part's page, too.
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
    """Return the address of the request that the run is in review with, or nothing."""
    request = run.requests.filter(status__in=TALKED_ABOUT).first()
    return reverse("reviews:show", args=[request.id]) if request is not None else ""


@register.simple_tag(takes_context=True)
def comment_address(context: dict[str, Any], name: str) -> str:
    """Return where to comment on a chart or card; nothing while its run is not in review."""
    if not context.get("talk_address"):
        return ""
    section = context.get("section")
    part = PARTS.get(name) or (section.title if section else "")
    return f"{context['talk_address']}?about=chart:{quote(part)}#conversation"
