"""What of a report and of a summary a person may see, decided in one place.

Stewards of the dataset see everything. What must never happen: somebody else reads a value that
fewer than five people have, what a single group of look-alikes shows, or works out who was left
out and what they are like. For these people there is a list of what may be seen, each entry with
its reason (`engine/publication/in_house.py`); pages, documents, boards and comparisons take what
they show from here, so nothing is left to the templates. Where a part is missing, they do without.
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
    """Say whether a run is the one that goes on to review.

    People who see no rows are told of no other how many people have which label: the same column
    counted in two runs of a table tells what those have whom one of them leaves out.
    """
    promoted = promoted_run(run.dataset)
    return promoted is not None and promoted.id == run.id


def summary_seen(run: Run, *, sees_values: bool) -> RunSummary:
    """Return what a board may show of a run to one who sees values or not; opens no report."""
    return run.summary if sees_values else show_summary_in_house(run.summary)


def without_values(report: Report, publication: Publication | None = None) -> Report:
    """Return the report for those who see counts and charts, never what few people have.

    Without a publication nothing is said of the detail lost.
    """
    if publication is None:
        return show_in_house(report)
    return show_in_house(report, publication.detail, publication.read_file)
