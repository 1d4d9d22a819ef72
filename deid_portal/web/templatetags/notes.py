"""Boxes with a sentence in them, which stands between the tags as other text of the page does."""

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_block_tag
def note(
    content: SafeString,
    kind: str,
    *,
    lead: str = "",
    icon: str = "",
    note_id: str = "",
    live: bool = False,
) -> SafeString:
    """One thing to know; `kind` is info, ok, warn, bad or neutral and decides the icon.

    `lead` is a bold beginning; a `live` note is announced when it appears.
    """
    return render_to_string(
        "partials/_note.html",
        {
            "kind": kind,
            "lead": lead,
            "icon": icon,
            "note_id": note_id,
            "live": live,
            "text": content,
        },
    )


@register.simple_block_tag
def empty_list(
    content: SafeString, *, icon: str = "archive", action: dict[str, str] | None = None
) -> SafeString:
    """What stands where a list is empty; `action` (label, url, icon) only for people who may."""
    return render_to_string(
        "partials/_empty.html", {"icon": icon, "action": action, "text": content}
    )
