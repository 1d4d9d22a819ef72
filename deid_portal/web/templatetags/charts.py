"""Embedding figures in pages, for `js/chart.js` to draw."""

from typing import Any

from django import template
from django.utils.html import json_script
from django.utils.safestring import SafeString

from deid_portal.engine.charts.look import page_figure

register = template.Library()


@register.filter
def figure_script(figure: Any, element_id: str) -> SafeString:
    """Write a figure of Plotly like `json_script`, with the names of its colors."""
    return json_script(page_figure(figure), element_id)
