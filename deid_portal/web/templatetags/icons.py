"""The one way to put an icon on a page: `{% icon "circle-check" %}`.

The icons are symbols of `static/icons.svg`, for decoration (`aria-hidden`): a word stands beside
each of them.
"""

from django import template
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def icon(name: str, size: int = 18, css: str = "") -> SafeString:
    """An icon of the sprite; `size` 18 beside controls, 15 in running text; `css` adds classes."""
    return format_html(
        '<svg class="icon{}" width="{}" height="{}" aria-hidden="true" focusable="false">'
        '<use href="{}#{}"></use></svg>',
        f" {css}" if css else "",
        size,
        size,
        static("icons.svg"),
        name,
    )
