"""What remains of the protection when all releases of the same people are laid side by side.

Releases of the very same rows are crossed row by row, for the gate of a review as well as for the
attack: one computation, so the two cannot disagree. Releases of other versions, with other rows,
are crossed by the column that names people; where none is known, by what an intruder could know.
The gate says which of these was done, and the worst answer counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from deid_portal.attacks.network_crossing import cross_network_releases
from deid_portal.attacks.opening import (
    EarlierRelease,
    earlier_releases,
    open_case,
    releases_to_cross,
)
from deid_portal.common.refusals import Refused
from deid_portal.datasets.models import Dataset
from deid_portal.engine.attacks.case import Case
from deid_portal.engine.attacks.intersection import cross_releases
from deid_portal.engine.attacks.versions import (
    VersionCrossing,
    cross_people,
    link_by_name,
    link_by_what_is_known,
)
from deid_portal.policies.gates import Crossing
from deid_portal.runs.models import Run
from deid_portal.versions.people import person_column_of
from deid_portal.versions.selectors import listed


@dataclass(frozen=True)
class Answer:
    smallest: int
    people: int
    how: str = ""


def question_of(run: Run) -> list[str]:
    """Name what the answer depends on: the releases to cross, and how people are recognized."""
    earlier = releases_to_cross(run)
    tables = _tables(run, earlier)
    by = person_column_of(tables) if len(tables) > 1 else ""
    return [*sorted(own.run.output_sha256 for own in earlier), by]


def cross_with_releases(run: Run, look_alikes: int) -> Crossing:
    """Cross a run with every other release of these people; a second or so per million rows.

    Raises Refused where a release was made before the portal kept what this needs, or where the
    table of an earlier version was deleted.
    """
    earlier = releases_to_cross(run)
    if not earlier:
        return Crossing(releases=0, smallest=None)
    _check_tables_are_there(earlier)
    if run.is_network:
        return cross_network_releases(run, earlier, look_alikes)
    case = open_case(run)
    same = {own.run.id for own in earlier_releases(run)}
    cases = [open_case(own.run, case.original if own.run.id in same else None) for own in earlier]
    answers = [_cross_rows(case, cases, earlier, same, look_alikes)] if same else []
    if len(same) < len(earlier):
        runs = [run, *(own.run for own in earlier)]
        answers.append(_cross_versions(runs, [case, *cases], look_alikes))
    worst = min(answers, key=lambda own: (own.smallest, -own.people))
    return Crossing(
        releases=len(earlier),
        smallest=worst.smallest,
        people=max(own.people for own in answers),
        how=answers[-1].how,
    )


def _check_tables_are_there(earlier: Sequence[EarlierRelease]) -> None:
    gone = [own for own in earlier if own.run.dataset.state != Dataset.State.READY]
    if gone:
        names = listed([f"release {own.number}" for own in gone])
        raise Refused(
            f"{names[0].upper()}{names[1:]} cannot be crossed: the table behind it was deleted, so "
            "nobody can say what both reveal together."
        )


def _cross_rows(
    case: Case, cases: Sequence[Case], earlier: Sequence[EarlierRelease], same: set[UUID], k: int
) -> Answer:
    alike = [own for own, release in zip(cases, earlier, strict=True) if release.run.id in same]
    crossed = cross_releases([own.setting() for own in (case, *alike)])
    return Answer(crossed.smallest, int(crossed.people_below(k).sum()))


def _cross_versions(runs: Sequence[Run], cases: Sequence[Case], k: int) -> Answer:
    settings = [case.setting() for case in cases]
    by = person_column_of([run.dataset for run in runs])
    if by:
        crossed = cross_people(settings, link_by_name([own.original[by] for own in settings]))
        return _answer(crossed, k, f"people recognized by {by}")
    names = _known_in_all(cases)
    if not names:
        raise Refused(
            "Earlier versions share no quasi-identifier with this one, and no column says who is "
            "who. Name one on the page of what changed."
        )
    links = link_by_what_is_known([own.original for own in settings], names)
    how = f"no column says who is who, so rows with the same {listed(names)} are taken for the same"
    return _answer(cross_people(settings, links), k, how)


def _answer(crossed: VersionCrossing, k: int, how: str) -> Answer:
    return Answer(crossed.smallest, crossed.people_below(k), how)


def _known_in_all(cases: Sequence[Case]) -> list[str]:
    """Return the columns that all tables have and any plan takes to be known to an intruder."""
    known = {name for case in cases for name in case.plan.quasi_identifiers}
    return [name for name in cases[0].original.names if name in known and _have(cases, name)]


def _have(cases: Sequence[Case], name: str) -> bool:
    return all(name in case.original for case in cases)


def _tables(run: Run, earlier: Sequence[EarlierRelease]) -> list[Dataset]:
    own = {run.dataset_id: run.dataset, **{one.run.dataset_id: one.run.dataset for one in earlier}}
    return list(own.values())
