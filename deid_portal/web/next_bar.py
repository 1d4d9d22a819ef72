"""The bar at the bottom of a step page: what is missing and why, and at most two things to do."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Act:
    """A button: a link, a form of its own, or the submit button of a form on the page."""

    label: str
    url: str = ""
    form_action: str = ""
    form_id: str = ""
    icon: str = ""
    name: str = ""
    value: str = ""
    key: str = ""
    blocked: bool = False
    focus: str = ""  # id of the element that a click on a blocked button focuses


@dataclass(frozen=True)
class NextBar:
    lead: str
    rest: str = ""
    icon: str = "info-circle"
    tone: str = ""
    primary: Act | None = None
    secondary: Act | None = None
