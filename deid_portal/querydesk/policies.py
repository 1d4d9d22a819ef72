"""Conditions on the state of a desk for each action."""

from deid_portal.datasets.models import Dataset
from deid_portal.datasets.policies import check_is_ready
from deid_portal.engine.differential import PrivacySetting
from deid_portal.engine.networks.questions import NetworkSetting
from deid_portal.querydesk.models import Desk, Terms, Wish
from deid_portal.querydesk.subjects import has_list_of_people
from deid_portal.web.refusals import Refused


def check_setting_fits(dataset: Dataset, setting: PrivacySetting) -> None:
    """A network protects links or people; a table protects rows or people."""
    if dataset.is_network != isinstance(setting, NetworkSetting):
        raise Refused(
            "Say whether links or people are protected; this is a network."
            if dataset.is_network
            else "Links can only be protected in a network; this is a table."
        )
    is_listed = isinstance(setting, NetworkSetting) and setting.is_listed
    if is_listed and not has_list_of_people(dataset):
        raise Refused("This network has no list of people; only those with a link count.")


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
