"""The protection that remains when all releases of the same people are combined.

Releases of the same rows are crossed row by row. Releases of other versions are crossed by the
column that identifies people or, if there is none, by quasi-identifiers. The worst result counts.
The gate of a review and the attack use the same computation (`engine/attacks/intersection.py`), so
that they cannot disagree, and both state how people were matched.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from deid_portal.attacks.cases import (
    EarlierRelease,
    check_tables_are_there,
    earlier_releases,
    open_case,
    releases_to_cross,
)
from deid_portal.datasets.models import Dataset
from deid_portal.engine.attack_cases.case import Case, OtherReleases, with_earlier
from deid_portal.engine.attacks.intersection import cross_worst
from deid_portal.engine.attacks.version_linkage import link_by_name, link_by_what_is_known
from deid_portal.engine.table.table import Codes
from deid_portal.policies.gates import CrossingResult
from deid_portal.runs.models import Run
from deid_portal.versions.people import person_column_of
from deid_portal.versions.selectors import name_a_few
from deid_portal.web.refusals import Refused


@dataclass(frozen=True, eq=False)
class ReleasesToCross:
    """The opened earlier releases of the people of a run, and how people were matched."""

    releases: Sequence[EarlierRelease] = ()  # those of the same rows first
    earlier: OtherReleases = field(default_factory=OtherReleases)
    how: str = ""  # how people were matched, if there are other versions

    @property
    def levels(self) -> dict[int, Mapping[str, int]]:
        """Return the levels of each release by its number."""
        cases = [*self.earlier.same_rows, *self.earlier.versions]
        return {own.number: case.levels for own, case in zip(self.releases, cases, strict=True)}


def question_of(run: Run) -> list[str]:
    """Return the cache key of a result: the releases to cross, and how people are matched."""
    earlier = releases_to_cross(run)
    tables = _tables(run, earlier)
    by = person_column_of(tables) if len(tables) > 1 else ""
    return [*sorted(own.run.output_sha256 for own in earlier), by]


def cross_table_releases(run: Run, look_alikes: int) -> CrossingResult:
    """Cross a run with all other releases of these people; about a second per million rows."""
    case = open_case(run)
    found = open_earlier(run, case)
    crossed = cross_worst(with_earlier(case.setting(), case, found.earlier), look_alikes)
    return CrossingResult(
        releases=len(found.releases),
        smallest=crossed.smallest,
        people=int(crossed.people_below(look_alikes).sum()),
        how=found.how,
    )


def open_earlier(run: Run, case: Case) -> ReleasesToCross:
    """Open all other releases of these people and match people; `case` is that of the run."""
    every = releases_to_cross(run)
    check_tables_are_there(every)
    ids = {own.run.id for own in earlier_releases(run)}
    same = [own for own in every if own.run.id in ids]
    versions = [own for own in every if own.run.id not in ids]
    same_rows = [open_case(own.run, case.original) for own in same]
    others = [open_case(own.run) for own in versions]
    if not versions:
        return ReleasesToCross(same, OtherReleases(same_rows))
    runs = [run, *(own.run for own in (*same, *versions))]
    people, how = _recognize(runs, [case, *same_rows, *others])
    return ReleasesToCross([*same, *versions], OtherReleases(same_rows, others, people), how)


def _recognize(runs: Sequence[Run], cases: Sequence[Case]) -> tuple[list[Codes], str]:
    """Return the person of each row of several tables, and how people were matched."""
    originals = [case.original for case in cases]
    by = person_column_of([run.dataset for run in runs])
    if by:
        return link_by_name([table[by] for table in originals]), f"people recognized by {by}"
    names = _known_in_all(cases)
    if not names:
        raise Refused(
            "Earlier versions share no quasi-identifier with this one, and no column says who is "
            "who. Name one on the page of what changed."
        )
    known = name_a_few(names)
    how = f"no column says who is who, so rows with the same {known} are taken for the same"
    return link_by_what_is_known(originals, names), how


def _known_in_all(cases: Sequence[Case]) -> list[str]:
    """Return the columns of all tables that are quasi-identifiers in any plan."""
    known = {name for case in cases for name in case.plan.quasi_identifiers}
    return [name for name in cases[0].original.names if name in known and _have(cases, name)]


def _have(cases: Sequence[Case], name: str) -> bool:
    return all(name in case.original for case in cases)


def _tables(run: Run, earlier: Sequence[EarlierRelease]) -> list[Dataset]:
    own = {run.dataset_id: run.dataset, **{one.run.dataset_id: one.run.dataset for one in earlier}}
    return list(own.values())
