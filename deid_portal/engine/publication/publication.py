"""What is published beside a released table: plan, taxonomy files, and levels and loss."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from deid_portal.engine.plan import Plan
from deid_portal.engine.publication.detail import measure_detail
from deid_portal.engine.publication.published_plan import publish_plan
from deid_portal.engine.publication.published_report import (
    columns_of_several_levels,
    publish_report,
)
from deid_portal.engine.report import Part, Report
from deid_portal.engine.report.detail import NO_DETAIL, PublishedDetail
from deid_portal.engine.table.table import Table


@dataclass(frozen=True)
class Publication(Part):
    """The published plan and its files; `detail` holds levels and loss computed from them.

    It is stored when the release is made, so that packing needs only this, the released rows and
    the report. Releases from earlier versions have no `detail`. The cells of the rows are separated
    as in the file that came.
    """

    plan: Mapping[str, Any]
    files: Mapping[str, str] = field(default_factory=dict)
    detail: PublishedDetail = NO_DETAIL
    delimiter: str | None = None  # of the released rows; a comma unless said

    @classmethod
    def of(
        cls,
        plan: Plan,
        released: Table,
        report: Report,
        behind: Mapping[str, Collection[str]] | None = None,
    ) -> Self:
        """Put together what is published; `behind` are the `values_behind` public labels."""
        levels = report.transformation.levels
        published, files = publish_plan(plan, released, levels, behind)
        mixed = columns_of_several_levels(report.transformation)
        planned = [own for own in published.columns if own.name in published.quasi_identifiers]
        detail = measure_detail(
            {column.name: column.recipe for column in planned},
            {column.name: column.weight for column in planned},
            released,
            {name: level for name, level in levels.items() if name not in mixed},
            report.rows.suppressed,
        )
        texts = {name: content.decode() for name, content in files.items()}
        return cls(published.to_document(), texts, detail)

    @classmethod
    def from_document(cls, document: Any) -> Self:
        found = super().from_document(document)
        # Releases from earlier versions also have files that must not be published.
        files = {name: own for name, own in found.files.items() if name.endswith(".csv")}
        return replace(found, files=files)

    def read_file(self, name: str) -> bytes:
        return self.files[name].encode()

    def publish_report(self, report: Report) -> Report:
        """Return the published part of a report."""
        return publish_report(report, self.plan, self.detail, self.read_file)
