"""The protection that remains when several releases of the same network are combined.

Node numbers are random in every release, so they do not link releases. But an intruder who knows a
person's attributes or links knows their class in each release, and the intersection of these
classes may be small; absence from a release is known as well. People are matched by their id in the
original files.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deid_portal.attacks.cases import EarlierRelease, check_tables_are_there
from deid_portal.attacks.network_trials import open_network_case
from deid_portal.engine.networks.attacks.trials import NetworkCase
from deid_portal.engine.networks.knowledge.node_classes import NodeClasses
from deid_portal.engine.networks.knowledge.partition import NodePartition
from deid_portal.engine.progress import Progress
from deid_portal.policies.gates import CrossingResult
from deid_portal.runs.models import Run
from deid_portal.web.refusals import Refused


def cross_network_releases(run: Run, earlier: Sequence[EarlierRelease], k: int) -> CrossingResult:
    """Cross the run of a network with all other releases of its people."""
    check_tables_are_there(earlier)
    cases = [open_network_case(own) for own in (run, *(own.run for own in earlier))]
    names = ["this run", *(f"release {own.number}" for own in earlier)]
    for case, name in zip(cases, names, strict=True):
        _check_shows_people(case, name)
    people = {label: None for case in cases for label in case.original.labels or ()}
    order = {label: place for place, label in enumerate(people)}
    alike = NodePartition.by_keys(*(_class_of_people(case, order) for case in cases))
    return CrossingResult(
        releases=len(earlier),
        smallest=int(alike.sizes.min(initial=len(order))),
        people=alike.count_below(k),
        how="people recognized by their id",
    )


def _check_shows_people(case: NetworkCase, name: str) -> None:
    shows_people = all(method.shows_people for method in case.plan.methods)
    if not (shows_people and case.has_people):
        raise Refused(
            f"{name[0].upper()}{name[1:]} shows groups or counts instead of people, so what all "
            "releases reveal together cannot be worked out. Ask for a waiver with the reason."
        )


def _class_of_people(case: NetworkCase, order: dict[str, int]) -> NDArray[np.int64]:
    """Return the class of each person in a release; -1 for people who are not in it."""
    known = case.plan.known_columns(case.released.table)
    classes = NodeClasses(case.released, known, Progress(None)).of(case.plan.knowledge).class_of
    found = np.full(len(order), -1, np.int64)
    numbers = np.array([order[label] for label in case.original.labels or ()], np.int64)
    real = case.rows >= 0
    found[numbers[case.rows[real]]] = classes[real]
    return found
