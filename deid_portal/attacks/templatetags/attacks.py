"""Tags about attacks for pages of other rooms, which must not import this one."""

from typing import Any

from django import template

from deid_portal.attacks.next_bars import bar_before_review
from deid_portal.attacks.selectors import Summary, attack_summary_of
from deid_portal.runs.models import Run
from deid_portal.web.next_bar import NextBar

register = template.Library()


@register.simple_tag
def attack_summary(run: Run) -> Summary:
    """Return the summary of attacks on a run: `{% attack_summary run as attacked %}`."""
    return attack_summary_of(run)


@register.simple_tag(takes_context=True)
def with_attacks(context: dict[str, Any], bar: NextBar, run: Run) -> NextBar:
    """Return the bar of a report, or one that first points to attacks the policy requires."""
    return bar_before_review(bar, run, context["request"].user)
