from dataclasses import asdict
from typing import Any

from django import template

from deid_portal.web.next_bar import NextBar

register = template.Library()


@register.inclusion_tag("partials/_next_bar.html", takes_context=True)
def next_bar(context: dict[str, Any], bar: NextBar, oob: bool = False) -> dict[str, Any]:
    """Draw the next bar; `oob` replaces the one on the page from an htmx answer."""
    return {**asdict(bar), "oob": oob, "csrf_token": context.get("csrf_token")}
