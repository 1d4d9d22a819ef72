"""Where the evidence for a gate is shown: a figure of the report or an attack, opened beside."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from deid_portal.runs.models import Run


@dataclass(frozen=True)
class GateEvidence:
    """A page, the part of it that is the figure, and what a comment on it is about."""

    url: str
    part: str  # a CSS selector
    words: str = "GateEvidence"
    about: str = ""


# The page of the report, the part of it, what the link says, what a comment on it is about.
IN_REPORT = {
    "least_k": ("groups", "#classes", "Chart", "Groups"),
    "highest_risk": ("risk", "#risk", "Chart", "Risk"),
    "most_left_out": ("left-out", "[aria-labelledby=left-out-title]", "GateEvidence", "Left out"),
    "most_left_out_of_group": ("who-pays", "#who-pays", "Chart", "Who pays"),
    "protect_sensitive": ("distributions", "#spread-0", "Chart", "Distributions"),
    "surest_guess": ("distributions", "#spread-0", "Chart", "Distributions"),
    "no_identifier_left": ("detail", "[aria-labelledby=columns-title]", "Columns", "Detail lost"),
}


# What the report of a network has no page for is said by the gate itself.
OF_NETWORKS = ("least_k", "highest_risk")


def evidence_for(gate: str, run: Run) -> GateEvidence | None:
    """Say where to look; the terms of a request are their own evidence."""
    if run.is_network and gate not in OF_NETWORKS and not gate.startswith("attacks."):
        return None
    if gate in IN_REPORT:
        section, part, words, about = IN_REPORT[gate]
        url = reverse("reports:section", args=[run.id, section])
        return GateEvidence(url, part, words, f"chart:{about}")
    name, _, attack = gate.partition(".")
    if name == "attacks" or gate == "cross_releases":
        key = attack or "intersection"
        url = f"{reverse('attacks:show', args=[run.id])}?{urlencode({'attack': key})}"
        return GateEvidence(url, "#attack-panel", "Attack", "chart:Attacks")
    return None
