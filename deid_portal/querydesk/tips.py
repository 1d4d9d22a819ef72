"""Tips for asking the same question at a lower price."""

from deid_portal.engine.errors import InvalidPlan
from deid_portal.querydesk.amounts import epsilon_of
from deid_portal.querydesk.question_form import ComposedQuestion
from deid_portal.querydesk.quotes import Quote
from deid_portal.querydesk.vocabulary import write_width


def tips_of(composition: ComposedQuestion, offer: Quote, smallest_micro: int) -> list[str]:
    """Return the accuracy at half the price, if known and possible."""
    if offer.priced is None or offer.width is None or offer.stored is not None:
        return []
    if offer.priced.micro < 2 * smallest_micro:
        return []
    half = offer.priced.question.with_epsilon(epsilon_of(offer.priced.micro) / 2)
    try:
        rows = offer.rows.number if offer.rows else None
        width = half.forecast(offer.confidence, rows).half_width
    except InvalidPlan:
        return []
    if width is None or width <= offer.width:
        return []
    now = f"± {write_width(offer.width)}" if offer.width else "an exact answer"
    words = f"± {write_width(width)} instead of {now} costs half."
    if composition.unit != "people" or not offer.priced.question.width_is_distance:
        return [words]
    example = _round_number_above(50 * width)
    return [
        f"{words} For a count near {example:,} that is {100 * width / example:.0f} % either way."
    ]


def _round_number_above(number: float) -> int:
    size = 1
    while size * 10 <= number:
        size *= 10
    return next(step * size for step in (1, 2, 3, 5, 10) if step * size >= number)
