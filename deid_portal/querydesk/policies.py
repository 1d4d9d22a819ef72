"""Conditions on the state of a desk for each action."""

from deid_portal.datasets.models import Dataset
from deid_portal.datasets.policies import check_is_ready
from deid_portal.engine.differential import PrivacySetting
from deid_portal.querydesk.models import Desk, Terms, Wish
from deid_portal.querydesk.subjects import AskedSubject
from deid_portal.web.refusals import Refused


def check_setting_fits(dataset: Dataset, setting: PrivacySetting) -> None:
    """A network protects links or people; a table protects rows or people."""
    AskedSubject.of(dataset).check_setting(setting)


def check_answers(desk: Desk) -> None:
    """Refuse unless questions are answered here now."""
    if not desk.is_open:
        raise Refused("The steward has closed this desk. Answers that were given stay readable.")
    check_is_ready(desk.current.dataset)


def check_same_terms(terms: Terms, seen: int) -> None:
    """Refuse a price that was shown under other terms."""
    if terms.number != seen:
        raise Refused(
            f"The steward changed the terms on {terms.set_at:%-d %b, %H:%M}. "
            "Look at the price again; nothing was spent."
        )


def check_is_waiting(wish: Wish) -> None:
    if wish.status != Wish.Status.WAITING:
        raise Refused(f"This wish was already {wish.get_status_display().lower()}.")
