"""Changes that would make a plan work which nothing satisfies, each of them tried.

A remedy is only told after its plan was carried out and every rule was found to hold; what it would
leave out and lose is what came out then. The smallest change of each kind is looked for: how many
more may be left out, how much less a rule may ask, which column must say less. Searches on trial
have little time, so on large tables a run of the changed plan may lose a little less than is told.
"""

from collections.abc import Iterator
from contextlib import suppress

from deid_portal.engine.plan import Plan
from deid_portal.engine.progress import ProgressCallback
from deid_portal.engine.remedies.columns import keep_the_secret, leave_out_a_column
from deid_portal.engine.remedies.methods import leave_out_more, show_less
from deid_portal.engine.remedies.rules import ask_less, ask_one_rule_less
from deid_portal.engine.remedies.trial import RemediesOutOfTime, RemedyTrial
from deid_portal.engine.report import Report
from deid_portal.engine.report.remedies import FoundRemedy
from deid_portal.engine.table.table import Table

SECONDS = 20.0


def find_remedies(
    table: Table,
    plan: Plan,
    report: Report,
    progress: ProgressCallback | None = None,
    *,
    seconds: float = SECONDS,
) -> tuple[FoundRemedy, ...]:
    """Return changes after which the plan has a solution, none if none was found in time.

    `report` is that of the plan as it is. Each entry says what to change (`kind`, and from what to
    what), how many records would be left out and how much detail lost.
    """
    if plan.is_private:
        return ()  # trying would spend a budget again and again
    trial = RemedyTrial(table, plan, progress, seconds)
    found: list[FoundRemedy] = []
    with suppress(RemediesOutOfTime):
        for remedy in _remedies(trial, report):
            found.append(remedy)
    return tuple(found)


def _remedies(trial: RemedyTrial, report: Report) -> Iterator[FoundRemedy]:
    yield from ask_one_rule_less(trial, report)
    yield from ask_less(trial, report)
    yield from show_less(trial)
    yield from leave_out_more(trial)
    yield from keep_the_secret(trial, report)
    yield from leave_out_a_column(trial)
