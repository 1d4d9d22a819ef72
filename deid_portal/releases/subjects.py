"""How packages differ by kind of dataset: files, and their description."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from deid_portal.datasets.subjects import SubjectKind, SubjectPart
from deid_portal.engine.report import Report
from deid_portal.releases.models import Package, TableFormat
from deid_portal.releases.package_member import PackageMember
from deid_portal.releases.package_network import network_members
from deid_portal.releases.package_table import table_members

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

    @abstractmethod
    def members(
        self, package: Package, report: Report, statement: Mapping[str, Any]
    ) -> list[PackageMember]:
        """Return the files of the release and their dictionary."""

    @abstractmethod
    def readme_words(self, form: TableFormat) -> str:
        """Describe those files, for README.txt."""


class PackedTable(PackedSubject, kind=SubjectKind.TABLE):
    checked_from = "table"

    def members(
        self, package: Package, report: Report, statement: Mapping[str, Any]
    ) -> list[PackageMember]:
        return table_members(package, report, statement)

    def readme_words(self, form: TableFormat) -> str:
        return f"""release.{form.value}
    The table. Every row is one person, in an order that tells nothing.
    {FORMAT_WORDS[form]}
"""


class PackedNetwork(PackedSubject, kind=SubjectKind.NETWORK):
    checked_from = "links"

    def members(
        self, package: Package, report: Report, statement: Mapping[str, Any]
    ) -> list[PackageMember]:
        return network_members(package, report, statement)

    def readme_words(self, form: TableFormat) -> str:
        return NETWORK_FILES
