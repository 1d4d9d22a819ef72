"""Which parts of a report and of a summary a person may see.

Stewards of the dataset see everything. Others must never see a value of fewer than five people or
the contents of a single class, nor be able to infer who was suppressed or their values. For them
the entries that may be seen are listed, each with its reason (`engine/publication/in_house.py`).
Pages, documents, boards and comparisons get their data from here, so templates decide nothing and
must handle missing parts.
"""

from deid_portal.accounts.models import User
from deid_portal.datasets.permissions import can_see_values
from deid_portal.engine.publication import Publication, show_in_house, show_summary_in_house
from deid_portal.engine.report import Report
from deid_portal.engine.report.summary import RunSummary
from deid_portal.runs.chance import honest_report
from deid_portal.runs.models import Run
from deid_portal.runs.promotion import promoted_run


def report_seen_by(person: User, run: Run) -> Report:
    report = honest_report(run)
    if can_see_values(person, run.dataset):
        return report
    if run.published:
        seen = without_values(report, run.publication)
    else:
        seen = show_in_house(report, run.summary.detail)
    return seen if is_chosen(run) else seen.without("released_labels")


def is_chosen(run: Run) -> bool:
    """Say whether a run is the promoted one.

    Viewers without row access see label counts of one run only: the difference of two runs would
    reveal the labels of people suppressed in one of them.
    """
    promoted = promoted_run(run.dataset)
    return promoted is not None and promoted.id == run.id


def summary_seen(run: Run, *, sees_values: bool) -> RunSummary:
    """Return the summary of a run as a viewer with or without row access may see it."""
    return run.summary if sees_values else show_summary_in_house(run.summary)


def without_values(report: Report, publication: Publication | None = None) -> Report:
    """Return the report for viewers without row access.

    Without a publication the loss is omitted.
    """
    if publication is None:
        return show_in_house(report)
    return show_in_house(report, publication.detail, publication.read_file)
