"""What reports write: that somebody looked at rows before and after."""

from django.db import transaction

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.reports.side_by_side import SideBySide
from deid_portal.runs.models import Run


@transaction.atomic
def record_look_at_rows(*, run: Run, seen_by: User, shown: SideBySide) -> None:
    """Put on record which page was seen: numbers only, no value and no row."""
    facts = {"rows": str(shown.choice), "page": shown.page.number, "group": shown.group}
    record_event(
        "run.rows_compared", actor=seen_by, team=run.dataset.team, subject=run, facts=facts
    )
