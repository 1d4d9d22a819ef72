"""The verdict on a network: held against everything an intruder may know, not only the plan's part.

A rule of a plan speaks of one kind of knowledge. Whoever knows more may still find people, so the
headline names the worst of that, and what would withstand all of it is proposed.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from deid_portal.engine.documents import Place
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.networks.knowledge.knowledge import Knowledge
from deid_portal.engine.networks.methods import (
    NETWORK_METHODS,
    NetworkMethod,
    methods_against,
    parse_network_methods,
)
from deid_portal.engine.report import Report
from deid_portal.engine.report.network import KnowledgeState
from deid_portal.engine.report.transformation import MethodStep
from deid_portal.engine.wording.knowledge import KNOWLEDGE_PHRASES
from deid_portal.engine.wording.numbers import percent
from deid_portal.engine.wording.words import listed, people
from deid_portal.policies.rules import Rules
from deid_portal.reports.verdicts import SHIELDS, ProtectionGaps, ReportVerdict, judge_report

KNOWN = tuple(own.value for own in Knowledge)


@dataclass(frozen=True)
class OpenKnowledge:
    """What somebody may know, and how it finds people in the release nevertheless."""

    knowledge: Knowledge
    after: KnowledgeState

    @property
    def phrase(self) -> str:
        return KNOWLEDGE_PHRASES[self.knowledge.value]

    @property
    def finding(self) -> str:
        """Say how many are found, to be followed by "to somebody who knows …"."""
        if self.after.unique:
            share = percent(self.after.risk.sample_uniques)
            return f"{share} stand alone"
        return f"{percent(self.after.share_below_k)} hide among fewer than {self.after.k:,}"

    @property
    def count(self) -> str:
        if self.after.unique:
            verb = "stands" if self.after.unique == 1 else "stand"
            return f"{people(self.after.unique)} {verb} alone"
        verb = "hides" if self.after.below_k == 1 else "hide"
        return f"{people(self.after.below_k)} {verb} among fewer than {self.after.k:,}"


def judge_network(
    report: Report, rules: Rules | None = None, whole: Report | None = None
) -> ReportVerdict:
    """Judge as the report of a table is judged, and by what somebody may know besides."""
    judged = judge_report(report, rules, whole)
    gaps = network_gaps(report)
    is_bare = not report.models and not private_words(report)
    tone = "bad" if judged.tone == "bad" else "warn" if is_bare or gaps else "ok"
    return replace(
        judged, tone=tone, icon=SHIELDS[tone], sentence=network_verdict(report), gaps=gaps
    )


def network_verdict(report: Report) -> str:
    """Return the headline: what holds, and the worst of what does not."""
    if not report.solution:
        return "No change that was tried satisfies this plan. Nothing was released."
    private = private_words(report)
    if private:
        return private
    network, found = report.told_network, find_open_knowledge(report)
    smallest = network.risk[network.knowledge].after.candidates.least or 0
    if smallest < 2 and found:
        return f"{found[0].finding} to somebody who knows {found[0].phrase}."
    if not _stands_for_people(report):
        lead = f"Groups of at least {smallest:,} people leave, and no single person"
    else:
        lead = f"Every person hides among at least {smallest:,} look-alikes"
        if not found:
            return f"{lead}, whatever of the measured somebody knows about links."
        lead += f" to somebody who knows {KNOWLEDGE_PHRASES[network.knowledge]}"
    others = [own for own in found if own.knowledge.value != network.knowledge]
    if not others:
        return f"{lead}."
    return f"{lead}, but {others[0].finding} to somebody who knows {others[0].phrase}."


def network_gaps(report: Report) -> ProtectionGaps | None:
    """Name everything that is not withstood, and a method that would; None if nothing is open."""
    if not report.solution or private_words(report):
        return None
    network, found = report.told_network, find_open_knowledge(report)
    if not found:
        return None
    told = listed([f"{own.phrase} ({own.count})" for own in found])
    wanted = {Knowledge(known) for known in network.risk if known in KNOWN}
    fitting = methods_against(wanted, directed=network.directed, nodes=network.nodes.after)
    # Plans against whoever knows attributes have coarser ones as well.
    needs_follower = Knowledge.ATTRIBUTES in wanted
    return ProtectionGaps(
        words=f"against somebody who knows {told}.",
        remedy=_remedy(fitting[0], wanted) if fitting else "",
        knowledge=(Knowledge.ATTRIBUTES if needs_follower else found[0].knowledge).value,
        method=fitting[0].name if fitting else "",
    )


def find_open_knowledge(report: Report) -> list[OpenKnowledge]:
    """Return all knowledge that leaves somebody with fewer look-alikes than asked; worst first.

    Where no rule asks for a number of look-alikes, those count who have none.
    """
    found = [
        OpenKnowledge(Knowledge(known), risk.after)
        for known, risk in report.told_network.risk.items()
        if known in KNOWN and (risk.after.below_k if report.models else risk.after.unique)
    ]
    return sorted(found, key=lambda own: (-own.after.unique, -own.after.below_k))


def private_words(report: Report) -> str:
    """Return the headline of a release of noisy counts; empty for others."""
    private = [method for method in planned_methods(report) if method.is_private]
    if not private:
        return ""
    whom = " and ".join(dict.fromkeys(method.protected_unit for method in private))
    budget = max(getattr(method, "epsilon", 0.0) for method in private)
    return f"The release hardly depends on any one {whom} (ε = {budget:g})."


def planned_methods(report: Report) -> tuple[NetworkMethod, ...]:
    """Return the methods of the plan, or what they noted of themselves where no plan is told."""
    plan = report.plan if report.tells("plan") else {}
    entries = plan.get("method") or [_entry_of(step) for step in _steps(report)]
    try:
        return parse_network_methods(Place({"method": entries})["method"]) if entries else ()
    except InvalidPlan:  # of another version
        return ()


def _steps(report: Report) -> tuple[MethodStep, ...]:
    return report.steps if report.tells("transformation") else ()


def _entry_of(step: MethodStep) -> dict[str, Any]:
    kind = NETWORK_METHODS.get(step.method)
    names = [own.name for own in kind.parameters] if kind else []
    return {"name": step.method} | {name: step.notes[name] for name in names if name in step.notes}


def _remedy(method: type[NetworkMethod], wanted: Collection[Knowledge]) -> str:
    followers = {
        NETWORK_METHODS[name].title for known, name in method.needs_after.items() if known in wanted
    }
    after = "".join(f", with “{title}” after it," for title in sorted(followers))
    return f"“{method.title}”{after} would protect against all of this."


def _stands_for_people(report: Report) -> bool:
    methods = planned_methods(report)
    return all(method.shows_people for method in methods)
