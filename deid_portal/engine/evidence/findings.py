"""The parts of a report besides rules: risk details, attacks, utility and comparisons."""

from collections.abc import Callable
from dataclasses import replace

from deid_portal.engine.draft.measured import MeasuredTable
from deid_portal.engine.evidence.distributions import describe_distributions
from deid_portal.engine.evidence.evidence import Evidence
from deid_portal.engine.evidence.examples import give_examples
from deid_portal.engine.evidence.kept_people import count_labels, measure_kept
from deid_portal.engine.evidence.planned_attacks import carry_out_attacks
from deid_portal.engine.evidence.released_spread import tell_spreads
from deid_portal.engine.evidence.risk_details import (
    add_risk_details,
    measure_sensitive,
    seen_patterns,
)
from deid_portal.engine.evidence.suppression_causes import describe_seen_isolation
from deid_portal.engine.evidence.usefulness import add_measures, compare_release
from deid_portal.engine.evidence.who_pays import tell_who_pays
from deid_portal.engine.progress import Progress
from deid_portal.engine.report import HouseDetails, Report
from deid_portal.engine.report.left_out import GroupsApart
from deid_portal.engine.utility.coverage import cover_all

MOST_TOLD_COLUMNS = 40  # columns by whose groups suppression and loss are reported


def add_findings(
    evidence: Evidence,
    report: Report,
    before: MeasuredTable,
    after: MeasuredTable,
    progress: Progress,
) -> Report:
    """Return the report with risk details, utility, comparisons and attacks.

    None of it names a value; `isolation` is computed from the release only.
    """
    coverages = cover_all(evidence.original, evidence.released, evidence.names, evidence.taxonomies)
    groups = evidence.measures.groups if evidence.knows_who_is_who else ()
    return replace(
        report,
        risk=add_risk_details(evidence, report.risk, before, after),
        utility=add_measures(evidence, report.utility, coverages),
        comparison=compare_release(evidence, coverages, progress),
        sensitive=measure_sensitive(evidence, progress),
        who_pays=tuple(tell_who_pays(evidence, groups)) if groups else None,
        attacks=carry_out_attacks(evidence, progress) if evidence.measures.attacks else None,
        isolation=_describe_isolation(evidence, after),
    )


def find_for_the_house(evidence: Evidence, progress: Progress) -> HouseDetails:
    """Return the details by values of the table, which are for internal use only."""
    columns = [name for name in evidence.told_names if name in evidence.released]

    def report() -> None:
        progress.report(3, 4, "measure")

    distributions = describe_distributions(
        evidence.original,
        evidence.released,
        columns,
        evidence.all_taxonomies,
        evidence.rows if evidence.knows_who_is_who else None,
        report,
    )
    labels = count_labels(evidence.released, columns)
    report()
    spread = tell_spreads(evidence)
    report()
    details = HouseDetails(distributions=distributions, released_labels=labels, spread=spread)
    return _add_people(evidence, details, report) if evidence.knows_who_is_who else details


def _add_people(
    evidence: Evidence, details: HouseDetails, report: Callable[[], None]
) -> HouseDetails:
    """Add the details that need the original row of each released record."""
    told = evidence.told_names[: max(MOST_TOLD_COLUMNS, len(evidence.measures.groups))]
    examples = give_examples(evidence)
    assert evidence.rows is not None  # noqa: S101 - asked only then
    kept_before = measure_kept(evidence.problem.patterns.pattern_of_row, evidence.rows)
    paying = []
    for entry in tell_who_pays(evidence, told):
        report()
        paying.append(entry)
    return replace(details, examples=examples, kept_before=kept_before, who_pays=tuple(paying))


def _describe_isolation(evidence: Evidence, after: MeasuredTable) -> tuple[GroupsApart, ...] | None:
    seen = seen_patterns(evidence.names, after)
    return None if seen is None else describe_seen_isolation(seen)
