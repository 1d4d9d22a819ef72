from django import template

from deid_portal.querydesk.amounts import shown

register = template.Library()


@register.filter
def epsilon(micro: int) -> str:
    """1900000 millionths are written 1.90."""
    return shown(micro)
