"""The certificate: guarantees, measurements, attacks and decisions, on a few pages.

Made from two documents only, the statement and the published report, so it says nothing that may
not leave. Every number of the report is printed with the place it comes from
(`ReportPlace`), and `verify` compares them (`engine/verification/printed_numbers.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString

from deid_portal.engine import EngineError
from deid_portal.engine.publication import Publication, promises_privacy
from deid_portal.engine.report import Report
from deid_portal.engine.report.place import ReportPlace
from deid_portal.engine.report.table import ColumnReport
from deid_portal.engine.verification.printed_numbers import COUNT, NUMBER, SHARE, print_number
from deid_portal.engine.verification.signatures import short_fingerprint
from deid_portal.plans.basis import basis_of
from deid_portal.querydesk.released_answers import HandedAnswer, read_answers, sum_prices
from deid_portal.releases.package_charts import PackageChart, charts_of_package
from deid_portal.releases.release_statement import (
    ReleaseStatement,
    StatedApproval,
    StatedAttack,
    StatedGate,
    StatedWaiver,
    write_moment,
)
from deid_portal.releases.subjects import PackedSubject
from deid_portal.reports.columns import level_label
from deid_portal.reports.subjects import ReportedSubject

PEOPLE = ReportPlace.at(lambda report: report.input.rows)
RELEASED = ReportPlace.at(lambda report: report.rows.released)
LEFT_OUT = ReportPlace.at(lambda report: report.rows.suppressed)
LINKS = ReportPlace.at(lambda report: report.network.links.after if report.network else None)
GROUPS = ReportPlace.at(lambda report: report.classes.count)
SMALLEST = ReportPlace.at(lambda report: report.classes.smallest)
HIGHEST = ReportPlace.at(lambda report: report.risk.after.prosecutor.highest)
AVERAGE = ReportPlace.at(lambda report: report.risk.after.prosecutor.average)
JOURNALIST = ReportPlace.at(lambda report: report.risk.after.journalist)
MARKETER = ReportPlace.at(lambda report: report.risk.after.marketer)
UNIQUES = ReportPlace.at(lambda report: report.risk.after.sample_uniques)
LOSS = ReportPlace.at(lambda report: report.utility.loss)
PRECISION = ReportPlace.at(lambda report: report.utility.precision)
RISK = {
    "Highest chance of finding a person": HIGHEST,
    "Average chance of finding a person": AVERAGE,
    "Chance for somebody who does not know who is in it": JOURNALIST,
    "Share of all people found by trying everybody": MARKETER,
    "People who are one of a kind": UNIQUES,
}
COST = (
    ("People in the table", PEOPLE, COUNT),
    ("People in the release", RELEASED, COUNT),
    ("People left out", LEFT_OUT, COUNT),
    ("Links in the release", LINKS, COUNT),
    ("Groups of look-alikes", GROUPS, COUNT),
    ("Smallest group", SMALLEST, COUNT),
    ("Detail lost (loss, 0 none, 1 all)", LOSS, NUMBER),
    ("Precision (levels kept, 1 exact, 0 none)", PRECISION, NUMBER),
)
ROLES = {"quasi-identifier": "could identify", "sensitive": "sensitive", "insensitive": "harmless"}


@dataclass(frozen=True)
class CertificateLine:
    """A row of a table: label and number."""

    words: str
    number: SafeString


@dataclass(frozen=True)
class Certificate:
    """Everything the template shows."""

    statement: ReleaseStatement
    report: Report
    publication: Publication
    fingerprint: str
    subject: PackedSubject

    @property
    def title(self) -> str:
        return self.statement.title

    @property
    def verdict(self) -> str:
        reported = ReportedSubject.of(self.subject.dataset)
        if self.is_private:
            return reported.private_verdict(self.report)
        return reported.verdict(self.report)

    @property
    def released_at(self) -> str:
        return write_moment(self.statement.released_at)

    @property
    def short_fingerprint(self) -> str:
        return short_fingerprint(self.fingerprint)

    @property
    def page_foot(self) -> str:
        """The page footer; it is part of a style sheet, so it must not contain user input."""
        number, key = self.statement.release, self.fingerprint[:8]
        return f"Certificate of de-identification · release {number} · key {key}"

    @property
    def facts(self) -> dict[str, SafeString | str]:
        return {
            "released": self.number(RELEASED, COUNT),
            "smallest": self.number(SMALLEST, COUNT),
            "highest": self.number(HIGHEST, SHARE),
            **self._detail,
        }

    @property
    def _detail(self) -> dict[str, SafeString]:
        """The loss or, if only the precision may be published, the precision."""
        for name, place in (("loss", LOSS), ("precision", PRECISION)):
            if self.tells(place):
                return {name: self.number(place, SHARE)}
        return {}

    @property
    def plan(self) -> Mapping[str, Any]:
        return self.publication.plan

    @property
    def is_private(self) -> bool:
        return promises_privacy(self.plan)

    @property
    def risk(self) -> list[CertificateLine]:
        return [CertificateLine(words, self.number(place, SHARE)) for words, place in RISK.items()]

    @property
    def cost(self) -> list[CertificateLine]:
        return [
            CertificateLine(words, self.number(place, kind))
            for words, place, kind in COST
            if self.tells(place)
        ]

    @property
    def rules(self) -> list[dict[str, Any]]:
        explained = self._explanations()
        return [
            {
                "sentence": explained[number] if number < len(explained) else model.model,
                "name": model.model,
                "holds": model.holds,
                "achieved": [
                    (name.replace("_", " "), self.number(_achieved_by(number, name), NUMBER))
                    for name, reached in (model.achieved or {}).items()
                    if isinstance(reached, int | float) and not isinstance(reached, bool)
                ],
            }
            for number, model in enumerate(self.report.models)
        ]

    def _explanations(self) -> list[str]:
        try:
            plan = basis_of(self.plan).read(dict(self.plan), read_file=self.publication.read_file)
        except EngineError:
            return []  # the plan is too old for this engine to read
        return [model.explain() for model in plan.models]

    @property
    def columns(self) -> list[dict[str, Any]]:
        if not self.report.tells("columns"):
            return []
        return [
            {
                "name": name,
                "role": self._role(name, column),
                "level": self._fate(column),
                "loss": self.number(_loss_of(name), SHARE) if column.loss is not None else "",
            }
            for name, column in self.report.columns.items()
        ]

    def _role(self, name: str, column: ColumnReport) -> str:
        return ROLES.get(column.role or "", column.role or "")

    def _fate(self, column: ColumnReport) -> str:
        if not column.released:
            return "removed"
        if column.role == "quasi-identifier":
            return level_label(column)
        return "replaced" if column.role == "identifier" else "as it was"

    @property
    def gates(self) -> tuple[StatedGate, ...]:
        return self.statement.gates

    @property
    def policy_words(self) -> str:
        return self.statement.policy.words

    @property
    def gates_sentence(self) -> str:
        return self.statement.gates_sentence

    @property
    def waivers(self) -> tuple[StatedWaiver, ...]:
        return self.statement.waivers

    @property
    def approvals(self) -> tuple[StatedApproval, ...]:
        return self.statement.approvals

    @property
    def approved_by(self) -> str:
        return self.statement.approved_by

    @property
    def attacks(self) -> tuple[StatedAttack, ...]:
        return self.statement.attacks

    @property
    def answers(self) -> list[HandedAnswer]:
        return read_answers(self.statement.answers)

    @property
    def answers_in_all(self) -> str:
        return "; ".join(sum_prices(self.answers))

    @property
    def charts(self) -> list[PackageChart]:
        return charts_of_package(self.report)

    @property
    def limits(self) -> list[str]:
        return limits_of_certificate(self.report, self.statement, self.plan, self.subject)

    @property
    def hashes(self) -> list[tuple[str, str]]:
        answers = self.statement.answers_sha256
        return [
            (self.subject.approved, self.statement.output_sha256),
            ("Plan, as published", self.report.plan_sha256),
            ("Engine", self.statement.engine),
            *([("Private answers (answers.json)", answers)] if answers else []),
        ]

    def tells(self, place: ReportPlace) -> bool:
        return place.number_in(self.report) is not None

    def number(self, place: ReportPlace, kind: str) -> SafeString:
        """Write a number of the report, with its path."""
        words = print_number(place.number_in(self.report), kind)
        return format_html('<data value="{}" class="{}">{}</data>', place.path, kind, words)


def _achieved_by(number: int, name: str) -> ReportPlace:
    """Return the place of what a rule, counted from 0, reaches of one of its parameters."""
    return ReportPlace.at(lambda report: (report.models[number].achieved or {})[name])


def _loss_of(column: str) -> ReportPlace:
    return ReportPlace.at(lambda report: report.columns[column].loss)


def limits_of_certificate(
    report: Report, statement: ReleaseStatement, plan: Mapping[str, Any], subject: PackedSubject
) -> list[str]:
    """Return the assumptions and limits of the numbers, as sentences."""
    known = [n for n, own in plan.get("columns", {}).items() if own["role"] == "quasi-identifier"]
    secret = [n for n, own in plan.get("columns", {}).items() if own["role"] == "sensitive"]
    said = [report.randomness.note] if report.randomness else []
    said.append(subject.known_words(report, known))
    if secret:
        names = ", ".join(secret)
        said.append(f"What somebody already knows about {names} by themselves is not covered.")
    if report.tells("input"):
        said.append(
            "How many people there were and were left out cannot be counted in this package; the "
            "portal vouches for it by its signature."
        )
    said.append(report.note or "")
    said.append(_crossing_words(statement))
    if not statement.attacks:
        said.append("No attack on this release was made, or what came of it may not be told.")
    said.append(
        "Putting the file together with others later can make it less safe than it is today."
    )
    return [sentence for sentence in said if sentence]


def _crossing_words(statement: ReleaseStatement) -> str:
    if statement.crossing is None:
        return "Other releases of the same people were not looked at."
    found = statement.crossing.has
    return (
        f"Earlier releases of the same people: {found}. Later ones must be checked against this "
        "one."
    )


def write_certificate(certificate: Certificate) -> str:
    return render_to_string("releases/certificate.html", {"own": certificate})
