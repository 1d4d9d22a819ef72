"""How reports differ by kind of dataset: their pages and numbers, and how runs are compared."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from deid_portal.datasets.subjects import SubjectKind, SubjectPart
from deid_portal.engine.report import Report
from deid_portal.policies.rules import Rules
from deid_portal.reports.network_pages import (
    NETWORK_SECTIONS,
    network_key_numbers,
    network_report_of,
)
from deid_portal.reports.network_verdicts import judge_network, network_verdict, private_words
from deid_portal.reports.pages import SECTIONS, Section
from deid_portal.reports.scenarios import NetworkScenario, Scenario
from deid_portal.reports.verdicts import (
    ReportNumber,
    ReportVerdict,
    judge_report,
    key_numbers,
    verdict_of,
)


class ReportedSubject(SubjectPart):
    sections: ClassVar[Mapping[str, Section]]
    scenario: ClassVar[type[Scenario]]

    @abstractmethod
    def verdict(self, report: Report) -> str:
        """Return the headline of a report: what the release has, and at what cost."""

    @abstractmethod
    def private_verdict(self, report: Report) -> str:
        """Return the headline of a release with differential privacy."""

    @abstractmethod
    def judge(
        self, report: Report, rules: Rules | None = None, whole: Report | None = None
    ) -> ReportVerdict:
        """Judge a report by the rules of the plan and, if given, by the team's policy."""

    @abstractmethod
    def key_numbers(self, report: Report, rules: Rules | None = None) -> list[ReportNumber]:
        """Return the numbers at the head of a report, each with what was asked."""

    @abstractmethod
    def released_size(self, report: Report) -> str:
        """Say how large the release is."""

    @abstractmethod
    def notes(self, report: Report) -> Sequence[str]:
        """Return the notes of a report, each to stand by itself."""


class ReportOfTable(ReportedSubject, kind=SubjectKind.TABLE):
    sections: ClassVar[Mapping[str, Section]] = SECTIONS
    scenario = Scenario

    def verdict(self, report: Report) -> str:
        return verdict_of(report)

    def private_verdict(self, report: Report) -> str:
        return "The release hardly depends on any one person, by differential privacy."

    def judge(
        self, report: Report, rules: Rules | None = None, whole: Report | None = None
    ) -> ReportVerdict:
        return judge_report(report, rules, whole)

    def key_numbers(self, report: Report, rules: Rules | None = None) -> list[ReportNumber]:
        return key_numbers(report, rules)

    def released_size(self, report: Report) -> str:
        columns = sum(column.released for column in report.columns.values())
        return f"{report.rows.released:,} rows, {columns} columns"

    def notes(self, report: Report) -> Sequence[str]:
        return report.notes


class ReportOfNetwork(ReportedSubject, kind=SubjectKind.NETWORK):
    sections: ClassVar[Mapping[str, Section]] = NETWORK_SECTIONS
    scenario = NetworkScenario

    def verdict(self, report: Report) -> str:
        return network_verdict(report)

    def private_verdict(self, report: Report) -> str:
        return private_words(report)

    def judge(
        self, report: Report, rules: Rules | None = None, whole: Report | None = None
    ) -> ReportVerdict:
        return judge_network(report, rules, whole)

    def key_numbers(self, report: Report, rules: Rules | None = None) -> list[ReportNumber]:
        return network_key_numbers(report)

    def released_size(self, report: Report) -> str:
        links = network_report_of(report).links.after
        return f"{report.rows.released:,} people, {links:,} links"

    def notes(self, report: Report) -> Sequence[str]:
        """Join the notes: all of them describe what was read from the file and what was dropped."""
        return [" ".join(report.notes)] if report.notes else []
