"""The state diagram of review requests for the help, drawn from the table of allowed moves.

This module has only the layout: it raises an error unless arrows and allowed moves correspond.
"""

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from deid_portal.reviews.policies import ALLOWED_MOVES, Status

WIDTH, HEIGHT = 780, 300
# Left, top, width and height of each state; the two with most arrows have the full width.
BOXES: dict[str, tuple[int, int, int, int]] = {
    Status.EXPIRED: (230, 10, 540, 34),
    Status.DRAFT: (20, 84, 120, 40),
    Status.SUBMITTED: (230, 84, 120, 40),
    Status.APPROVED: (440, 84, 120, 40),
    Status.RELEASED: (650, 84, 120, 40),
    Status.CHANGES_REQUESTED: (250, 174, 165, 40),
    Status.REJECTED: (475, 174, 110, 40),
    Status.WITHDRAWN: (20, 256, 750, 34),
}
# Start and end point of each arrow.
ARROWS: dict[tuple[str, str], tuple[int, int, int, int]] = {
    (Status.DRAFT, Status.SUBMITTED): (140, 104, 230, 104),
    (Status.DRAFT, Status.WITHDRAWN): (80, 124, 80, 256),
    (Status.SUBMITTED, Status.CHANGES_REQUESTED): (285, 124, 285, 174),
    (Status.SUBMITTED, Status.APPROVED): (350, 95, 440, 95),
    (Status.SUBMITTED, Status.REJECTED): (350, 120, 475, 184),
    (Status.SUBMITTED, Status.WITHDRAWN): (240, 124, 240, 256),
    (Status.SUBMITTED, Status.EXPIRED): (290, 84, 290, 44),
    (Status.CHANGES_REQUESTED, Status.SUBMITTED): (320, 174, 320, 124),
    (Status.CHANGES_REQUESTED, Status.WITHDRAWN): (330, 214, 330, 256),
    (Status.CHANGES_REQUESTED, Status.EXPIRED): (395, 174, 395, 44),
    (Status.APPROVED, Status.RELEASED): (560, 104, 650, 104),
    (Status.APPROVED, Status.SUBMITTED): (440, 112, 350, 112),
    (Status.APPROVED, Status.WITHDRAWN): (455, 124, 455, 256),
    (Status.RELEASED, Status.WITHDRAWN): (710, 124, 710, 256),
    (Status.RELEASED, Status.EXPIRED): (690, 84, 690, 44),
    (Status.EXPIRED, Status.RELEASED): (730, 44, 730, 84),
}


def draw_moves() -> SafeString:
    """Return SVG without inline styles, as the content security policy requires."""
    allowed = {(state, target) for state, targets in ALLOWED_MOVES.items() for target in targets}
    if allowed != set(ARROWS) or set(ALLOWED_MOVES) != set(BOXES):
        raise LookupError("The drawing of the moves and the table of the moves differ.")
    lines = format_html_join(
        "", '<line x1="{}" y1="{}" x2="{}" y2="{}" marker-end="url(#move)"/>', ARROWS.values()
    )
    boxes = format_html_join(
        "",
        '<rect x="{}" y="{}" width="{}" height="{}" rx="7"/><text x="{}" y="{}">{}</text>',
        (
            (x, y, w, h, x + w // 2, y + h // 2 + 5, Status(state).label)
            for state, (x, y, w, h) in BOXES.items()
        ),
    )
    head = '<path d="M0 0 8 4 0 8z"/>'
    return format_html(
        '<svg class="moves" viewBox="0 0 {} {}" role="img" aria-label="States of a request and the '
        'moves between them; the table below says the same"><defs><marker id="move" refX="8" '
        'refY="4" markerWidth="8" markerHeight="8" orient="auto">{}</marker></defs>{}{}</svg>',
        WIDTH, HEIGHT, SafeString(head), lines, boxes,
    )  # fmt: skip
