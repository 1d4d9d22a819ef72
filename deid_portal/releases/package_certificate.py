"""The certificate: guarantees, measurements, attacks and decisions, on a few pages.

It is made only from the statement and the published report, so it contains nothing that must not be
published. Every number is printed with its path in the report (`engine/verification/figures.py`),
and `verify` compares them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString

from deid_portal.engine import EngineError
from deid_portal.engine.publication import Publication, promises_privacy
from deid_portal.engine.report import Report
from deid_portal.engine.report.table import ColumnReport
from deid_portal.engine.verification.figures import COUNT, NUMBER, SHARE, find_figure, write_figure
from deid_portal.engine.verification.signatures import short_fingerprint
from deid_portal.engine.wording.words import counted, listed
from deid_portal.plans.basis import basis_of
from deid_portal.querydesk.released_answers import HandedAnswer, read_answers, sum_prices
from deid_portal.releases.package_charts import PackageChart, charts_of
from deid_portal.reports.columns import level_label
from deid_portal.reports.verdicts import verdict_of

Statement = Mapping[str, Any]
RESULT_WORDS = {"pass": "passes", "waived": "waived", "fail": "fails"}
ATTACK_TONES = {"Resisted": "ok", "Weak spot": "warn", "Over limit": "bad"}
PATH_SIGN = "\x1f"
ROLES = {"quasi-identifier": "could identify", "sensitive": "sensitive", "insensitive": "harmless"}


@dataclass(frozen=True)
class CertificateLine:
    """A row of a table: label and number."""

    words: str
    number: SafeString


@dataclass(frozen=True)
class Certificate:
    """Everything the template shows."""

    statement: Statement
    report: Report
    publication: Publication
    fingerprint: str

    @property
    def title(self) -> str:
        return f"{self.statement['dataset']}, release {self.statement['release']}"

    @property
    def verdict(self) -> str:
        if self.is_private:
            return "The release hardly depends on any one person, by differential privacy."
        return verdict_of(self.report)

    @property
    def released_at(self) -> str:
        return write_moment(self.statement["released_at"])

    @property
    def short_fingerprint(self) -> str:
        return short_fingerprint(self.fingerprint)

    @property
    def page_foot(self) -> str:
        """The page footer; it is part of a style sheet, so it must not contain user input."""
        number = int(self.statement["release"])
        return f"Certificate of de-identification · release {number} · key {self.fingerprint[:8]}"

    @property
    def facts(self) -> dict[str, SafeString | str]:
        return {
            "released": self.count("rows.released"),
            "smallest": self.count("classes.smallest"),
            "highest": self.share("risk.after.prosecutor.highest"),
            **self._detail,
        }

    @property
    def _detail(self) -> dict[str, SafeString]:
        """The loss or, if only the precision may be published, the precision."""
        if not self.report.tells("utility"):
            return {}
        told = self.report.utility
        names = [name for name in ("loss", "precision") if told.value_of(name) is not None]
        return {name: self.share(f"utility.{name}") for name in names[:1]}

    @property
    def plan(self) -> Mapping[str, Any]:
        return self.publication.plan

    @property
    def is_private(self) -> bool:
        return promises_privacy(self.plan)

    @property
    def risk(self) -> list[CertificateLine]:
        places = (
            ("Highest chance of finding a person", "prosecutor.highest"),
            ("Average chance of finding a person", "prosecutor.average"),
            ("Chance for somebody who does not know who is in it", "journalist"),
            ("Share of all people found by trying everybody", "marketer"),
            ("People who are one of a kind", "sample_uniques"),
        )
        return [
            CertificateLine(words, self.share(f"risk.after.{place}")) for words, place in places
        ]

    @property
    def cost(self) -> list[CertificateLine]:
        lines = [
            CertificateLine("People in the table", self.count("input.rows")),
            CertificateLine("People in the release", self.count("rows.released")),
            CertificateLine("People left out", self.count("rows.suppressed")),
            CertificateLine("Links in the release", self.count("network.links.after")),
            CertificateLine("Groups of look-alikes", self.count("classes.count")),
            CertificateLine("Smallest group", self.count("classes.smallest")),
            CertificateLine("Detail lost (loss, 0 none, 1 all)", self.number("utility.loss")),
            CertificateLine(
                "Precision (levels kept, 1 exact, 0 none)", self.number("utility.precision")
            ),
        ]
        return [line for line in lines if ">–<" not in line.number]

    @property
    def rules(self) -> list[dict[str, Any]]:
        explained = self._explanations()
        return [
            {
                "sentence": explained[place] if place < len(explained) else model.model,
                "name": model.model,
                "holds": model.holds,
                "achieved": [
                    (name.replace("_", " "), self._achieved(place, name))
                    for name, reached in (model.achieved or {}).items()
                    if isinstance(reached, int | float) and not isinstance(reached, bool)
                ],
            }
            for place, model in enumerate(self.report.models)
        ]

    def _achieved(self, place: int, name: str) -> SafeString:
        return self.number(f"models.{place}.achieved.{name}")

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
                "loss": self.figure(["columns", name, "loss"], SHARE)
                if column.loss is not None
                else "",
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
    def gates(self) -> list[dict[str, str]]:
        return [{**gate, "word": RESULT_WORDS[gate["result"]]} for gate in self.statement["gates"]]

    @property
    def policy_words(self) -> str:
        """The policy in words; version 0 stands for the defaults."""
        version = self.statement["policy"]["version"]
        return f"Policy of the team, version {version}" if version else "The portal’s usual policy"

    @property
    def gates_sentence(self) -> str:
        results = [gate["result"] for gate in self.statement["gates"]]
        passed, waived = results.count("pass"), results.count("waived")
        return f"{counted(passed, 'gate')} passed, {waived} waived, {results.count('fail')} failed"

    @property
    def waivers(self) -> list[dict[str, str]]:
        return [
            {
                **waiver,
                "reason": waiver["reason"].strip(),
                "asked": write_moment(waiver["asked_at"]),
                "agreed": write_moment(waiver["agreed_at"]),
            }
            for waiver in self.statement["waivers"]
        ]

    @property
    def approvals(self) -> list[dict[str, str]]:
        return [{**own, "at": write_moment(own["at"])} for own in self.statement["approvals"]]

    @property
    def approved_by(self) -> str:
        return listed([own["person"] for own in self.statement["approvals"]])

    @property
    def attacks(self) -> Sequence[Mapping[str, Any]]:
        return [
            {
                **own,
                "limit_words": write_figure(own["limit"], SHARE),
                "tone": ATTACK_TONES.get(own["state"], ""),
            }
            for own in self.statement["attacks"]
        ]

    @property
    def answers(self) -> list[HandedAnswer]:
        return read_answers(self.statement.get("answers", []))

    @property
    def answers_in_all(self) -> str:
        return "; ".join(sum_prices(self.answers))

    @property
    def charts(self) -> list[PackageChart]:
        return charts_of(self.report)

    @property
    def limits(self) -> list[str]:
        return limits_of(self.report, self.statement, self.plan)

    @property
    def hashes(self) -> list[tuple[str, str]]:
        answers = self.statement.get("answers_sha256")
        return [
            (
                "Archive of the network, as approved"
                if self.report.network
                else "Rows, as approved (release.csv)",
                self.statement["output_sha256"],
            ),
            ("Plan, as published", self.report.plan_sha256),
            ("Engine", self.statement["engine"]),
            *([("Private answers (answers.json)", answers)] if answers else []),
        ]

    def count(self, place: str) -> SafeString:
        return self.figure(place.split("."), COUNT)

    def share(self, place: str) -> SafeString:
        return self.figure(place.split("."), SHARE)

    def number(self, place: str) -> SafeString:
        return self.figure(place.split("."), NUMBER)

    @cached_property
    def _document(self) -> dict[str, Any]:
        return self.report.to_document()

    def figure(self, steps: Sequence[str], kind: str) -> SafeString:
        """Write a number of the report, with its path."""
        sign = PATH_SIGN if any("." in step for step in steps) else "."
        place = sign.join(steps)
        words = write_figure(find_figure(self._document, place), kind)
        return format_html('<data value="{}" class="{}">{}</data>', place, kind, words)


def limits_of(report: Report, statement: Statement, plan: Mapping[str, Any]) -> list[str]:
    """Return the assumptions and limits of the numbers, as sentences."""
    known = [n for n, own in plan.get("columns", {}).items() if own["role"] == "quasi-identifier"]
    secret = [n for n, own in plan.get("columns", {}).items() if own["role"] == "sensitive"]
    said = [report.randomness.note] if report.randomness else []
    said.append(_what_is_known(report, known))
    if secret:
        names = ", ".join(secret)
        said.append(f"What somebody already knows about {names} by themselves is not covered.")
    if report.tells("input"):
        said.append(
            "How many people there were and were left out cannot be counted in this package; the "
            "portal vouches for it by its signature."
        )
    said.append(report.note or "")
    crossed = [gate for gate in statement["gates"] if gate["name"] == "cross_releases"]
    said.append(
        f"Earlier releases of the same people: {crossed[0]['has']}. Later ones must be checked "
        "against this one."
        if crossed
        else "Other releases of the same people were not looked at."
    )
    if not statement["attacks"]:
        said.append("No attack on this release was made, or what came of it may not be told.")
    said.append(
        "Putting the file together with others later can make it less safe than it is today."
    )
    return [sentence for sentence in said if sentence]


def _what_is_known(report: Report, columns: Sequence[str]) -> str:
    if report.network is not None:
        return f"The recipient is taken to know {report.network.knowledge_words}."
    if not columns:
        return (
            "No column was said to be known to the recipient, so no risk of finding was measured."
        )
    facts, names = counted(len(columns), "fact"), ", ".join(columns)
    return f"The recipient is taken to know at most {facts} about a person: {names}."


def write_moment(text: str) -> str:
    """Write 2026-11-16T05:57+00:00 as 16 Nov 2026, 05:57 UTC."""
    moment = datetime.fromisoformat(text)
    zone = moment.tzname() or ""
    return f"{moment:%-d %b %Y, %H:%M} {zone}".replace("UTC+00:00", "UTC").strip()


def write_certificate(certificate: Certificate) -> str:
    return render_to_string("releases/certificate.html", {"own": certificate})
