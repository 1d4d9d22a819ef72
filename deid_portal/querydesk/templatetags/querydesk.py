"""The bar of an account, drawn with attributes only."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from deid_portal.querydesk.quotes import Quote
from deid_portal.querydesk.statements import LedgerStatement

register = template.Library()
WIDTH = 400
BAR = (
    '<svg class="budget-bar" viewBox="0 0 {} 10" preserveAspectRatio="none" role="img" '
    'aria-label="{} % of the account is left"><rect class="rail" width="{}" height="10"></rect>'
    '<rect class="left" width="{}" height="10"></rect>{}</svg>'
)
HATCHED = (
    '<defs><pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><rect class="hatch-back" width="7" height="7"></rect>'
    '<rect class="hatch-line" width="3.5" height="7"></rect></pattern></defs>'
    '<rect class="taken" x="{}" width="{}" height="10"></rect>'
)


@register.simple_tag
def budget_bar(statement: LedgerStatement, quote: Quote | str = "") -> SafeString:
    """The balance as a bar, with the price of the question hatched."""
    limit = max(statement.balance.account_limit, 1)
    left = min(statement.balance.left / limit, 1.0)
    taken = 0.0
    if isinstance(quote, Quote) and quote.can_ask:
        taken = min(quote.micro / limit, left)
    kept = round((left - taken) * WIDTH, 1)
    hatched = format_html(HATCHED, kept, round(taken * WIDTH, 1)) if taken else ""
    return format_html(BAR, WIDTH, round(100 * left), WIDTH, kept, hatched)
