"""How packages differ by kind of dataset: files, and their description."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from deid_portal.datasets.subjects import SubjectKind, SubjectPart
from deid_portal.engine.report import Report
from deid_portal.engine.wording.words import counted
from deid_portal.releases.models import Package, TableFormat
from deid_portal.releases.package_member import PackageMember
from deid_portal.releases.package_network import network_members
from deid_portal.releases.package_table import table_members
from deid_portal.releases.release_statement import ReleaseStatement

FORMAT_WORDS = {
    TableFormat.CSV: (
        "UTF-8, commas, one line of column names. An empty cell is a missing value. A text that a "
        "spreadsheet would run as a formula has an apostrophe in front."
    ),
    TableFormat.PARQUET: "Read it with pandas, Arrow, R, DuckDB and others.",
    TableFormat.XLSX: "One sheet. Texts that look like formulas are declared to be text.",
    TableFormat.SPSS: (
        "Words are numbers with value labels. Names that SPSS cannot hold were changed; the label "
        "of a variable has the real one."
    ),
}
NETWORK_FILES = """edges.csv
    One link per line: source and target. People have random numbers.
nodes.csv
    One person per line: the number, and what is released about them.
network.graphml
    The same, for programs that draw and measure networks.
"""


class PackedSubject(SubjectPart):
    checked_from: ClassVar[str]  # from what verification recomputes the claims
    approved: ClassVar[str]  # what the hash of the approval is of

    @abstractmethod
    def members(
        self, package: Package, report: Report, statement: ReleaseStatement
    ) -> list[PackageMember]:
        """Return the files of the release and their dictionary."""

    @abstractmethod
    def known_words(self, report: Report, columns: Sequence[str]) -> str:
        """Say what the recipient is taken to know; `columns` are the quasi-identifiers."""

    @abstractmethod
    def readme_words(self, form: TableFormat) -> str:
        """Describe those files, for README.txt."""


class PackedTable(PackedSubject, kind=SubjectKind.TABLE):
    checked_from = "table"
    approved = "Rows, as approved (release.csv)"

    def members(
        self, package: Package, report: Report, statement: ReleaseStatement
    ) -> list[PackageMember]:
        return table_members(package, report, statement)

    def known_words(self, report: Report, columns: Sequence[str]) -> str:
        if not columns:
            return (
                "No column was said to be known to the recipient, so no risk of finding was "
                "measured."
            )
        facts, names = counted(len(columns), "fact"), ", ".join(columns)
        return f"The recipient is taken to know at most {facts} about a person: {names}."

    def readme_words(self, form: TableFormat) -> str:
        return f"""release.{form.value}
    The table. Every row is one person, in an order that tells nothing.
    {FORMAT_WORDS[form]}
"""


class PackedNetwork(PackedSubject, kind=SubjectKind.NETWORK):
    checked_from = "links"
    approved = "Archive of the network, as approved"

    def members(
        self, package: Package, report: Report, statement: ReleaseStatement
    ) -> list[PackageMember]:
        return network_members(package, report, statement)

    def known_words(self, report: Report, columns: Sequence[str]) -> str:
        return f"The recipient is taken to know {report.told_network.knowledge_words}."

    def readme_words(self, form: TableFormat) -> str:
        return NETWORK_FILES
