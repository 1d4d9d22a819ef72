"""Where the evidence for a gate is shown: a section of the report, or an attack."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from deid_portal.attacks.choices import EARLIER_RELEASES
from deid_portal.attacks.subjects import standard_attacks
from deid_portal.reports.subjects import ReportedSubject
from deid_portal.runs.models import Run


@dataclass(frozen=True)
class GateEvidence:
    """A page, the element on it to show, and the subject of comments on it."""

    url: str
    part: str  # a CSS selector
    words: str = "Evidence"
    about: str = ""


# Section of the report, CSS selector, text of the link, subject of comments.
IN_REPORT = {
    "least_k": ("groups", "#classes", "Chart", "Groups"),
    "highest_risk": ("risk", "#risk", "Chart", "Risk"),
    "most_left_out": ("left-out", "[aria-labelledby=left-out-title]", "Evidence", "Left out"),
    "most_left_out_of_group": ("who-pays", "#who-pays", "Chart", "Who pays"),
    "protect_sensitive": ("sensitive", "#spread-0", "Chart", "Sensitive"),
    "surest_guess": ("sensitive", "#spread-0", "Chart", "Sensitive"),
    "no_identifier_left": ("detail", "[aria-labelledby=columns-title]", "Columns", "Detail lost"),
}


def evidence_for(gate: str, run: Run) -> GateEvidence | None:
    """Return where the evidence for a gate is shown, or None.

    The gate of the terms, and gates without a page in the report, show their evidence themselves.
    """
    if gate in IN_REPORT:
        return _in_report(gate, run)
    name, _, attack = gate.partition(".")
    if name == "attacks":
        return _attack(attack, run)
    if gate in ("attacks_within_limits", "attacks_at_work"):
        url = reverse("attacks:show", args=[run.id])
        return GateEvidence(url, "#attack-counts", "Attacks", "chart:Attacks")
    if gate == "cross_releases" and EARLIER_RELEASES in standard_attacks(run):
        return _attack(EARLIER_RELEASES, run)
    return None


def _in_report(gate: str, run: Run) -> GateEvidence | None:
    section, part, words, about = IN_REPORT[gate]
    if section not in ReportedSubject.of(run.dataset).sections:
        return None
    url = reverse("reports:section", args=[run.id, section])
    return GateEvidence(url, part, words, f"chart:{about}")


def _attack(attack: str, run: Run) -> GateEvidence:
    url = f"{reverse('attacks:show', args=[run.id])}?{urlencode({'attack': attack})}"
    return GateEvidence(url, "#attack-panel", "Attack", "chart:Attacks")
