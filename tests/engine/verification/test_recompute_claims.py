"""Whatever the engine reports of a release can be computed again from the release, or is trusted.

One contract over all methods and all models: verifying an honest report finds nothing wrong.
"""

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Outcome, Plan, Table, protect
from deid_portal.engine.files.csv.writer import write_csv
from deid_portal.engine.files.file_format import FileKind
from deid_portal.engine.privacy import MODELS
from deid_portal.engine.publication import Publication
from deid_portal.engine.report import Report
from deid_portal.engine.report.rules import RuleVerdict
from deid_portal.engine.verification.claimed_release import ClaimedRelease
from deid_portal.engine.verification.claims import Claim, Claims
from deid_portal.engine.verification.claims import ClaimOutcome as Judged
from deid_portal.engine.verification.recomputation import recompute as recompute_claims
from deid_portal.engine.verification.tables import read_release
from tests.engine.methods.test_every_method import every_example, people, plan_for
from tests.engine.privacy.test_every_privacy_model import every_model, read_people
from tests.engine.tables import SECRETS, document, random_problem


def claimed_of(outcome: Outcome, plan: Plan) -> ClaimedRelease:
    """Publish a release as a package does, and read it back."""
    assert outcome.released is not None
    publication = Publication.of(plan, outcome.released, outcome.report)
    report = publication.publish_report(outcome.report)
    stream = io.BytesIO()
    write_csv(outcome.released, stream)
    table = read_release(stream.getvalue(), FileKind.CSV)
    told, document = json.loads(json.dumps([report.to_document(), publication.plan]))
    return ClaimedRelease(table, Report.from_document(told), document, publication.read_file)


def recompute(claimed: ClaimedRelease) -> list[Claim]:
    claims = Claims()
    recompute_claims(claimed, claims)
    return claims.made


def failures(claimed: ClaimedRelease) -> list[str]:
    return [claim.words for claim in recompute(claimed) if claim.fails]


@every_example
def test_an_honest_report_of_every_method_holds(method: dict[str, Any]) -> None:
    plan = plan_for(method)
    outcome = protect(people(60, gaps=0.1), plan)
    if outcome.solution:
        assert failures(claimed_of(outcome, plan)) == []


def protect_by(example: dict[str, Any], limit: float, seed: int) -> tuple[Outcome, Plan]:
    problem = random_problem(np.random.default_rng(seed), [])
    columns: dict[str, Any] = {name: {"role": "quasi-identifier"} for name in problem.names}
    columns["secret"] = {"role": "sensitive", "taxonomy": SECRETS}
    method = {"name": "full-domain", "suppression_limit": limit}
    asked = document(columns, models=[example], method=method)
    plan = Plan.from_document(asked, read_file=read_people)
    table = Table.from_rows(problem.table.names, problem.table.head(problem.rows))
    return protect(table, plan), plan


@every_model
@pytest.mark.parametrize("limit", [0.0, 0.3])
def test_an_honest_report_of_every_model_holds(example: dict[str, Any], limit: float) -> None:
    outcome, plan = protect_by(example, limit, seed=5)
    if not outcome.solution:
        return
    claims = recompute(claimed_of(outcome, plan))
    assert [claim.words for claim in claims if claim.fails] == []
    name = example["model"]
    trusted = {claim.name.split(" ")[0] for claim in claims if claim.outcome is Judged.TRUSTED}
    left_out = outcome.report.rows.suppressed
    kind = MODELS[name]
    is_trusted = bool(kind.needs_besides) or (kind.compares_with_original and left_out > 0)
    assert (name in trusted) == is_trusted, "what can be computed is computed"


Place = tuple[str | int, ...]
LONG = 3  # of a list, so many entries are enough
WALKED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "levels": ({"name": "full-domain", "suppression_limit": 0.3}, {"model": "k-anonymity", "k": 2}),
    "rounds": (
        {"name": "local-recoding", "suppression_limit": 0.1},
        {"model": "k-anonymity", "k": 3},
    ),
    "t": (
        {"name": "full-domain", "suppression_limit": 0.3},
        {"model": "t-closeness", "t": 0.6, "column": "condition"},
    ),
    "ranges": ({"name": "mondrian"}, {"model": "k-anonymity", "k": 3}),
    "numbers": ({"name": "microaggregation", "k": 3}, {"model": "k-anonymity", "k": 2}),
}


def walk(document: Any, place: Place = ()) -> Iterator[Place]:
    """Return the place of every number and truth of a report."""
    if isinstance(document, dict):
        for key, own in document.items():
            yield from walk(own, (*place, key))
    elif isinstance(document, list):
        for number, own in enumerate(document[:LONG]):
            yield from walk(own, (*place, number))
    elif isinstance(document, int | float):
        yield place


def changed(report: Report, place: Place) -> Report:
    copy = json.loads(json.dumps(report.to_document()))
    inner = copy
    for step in place[:-1]:
        inner = inner[step]
    was = inner[place[-1]]
    inner[place[-1]] = not was if isinstance(was, bool) else was + 1
    return Report.from_document(copy)


def is_listed(place: Place, claims: list[Claim]) -> bool:
    steps = [str(step) for step in place]
    listed = [own.split(".") for claim in claims for own in claim.places]
    return any(
        len(own) <= len(steps) and all(a in ("*", b) for a, b in zip(own, steps, strict=False))
        for own in listed
    )


@pytest.mark.parametrize("way", WALKED)
def test_every_number_is_compared_or_listed_as_trusted(way: str) -> None:
    """No third kind: a number that could be changed unseen and is vouched for by nobody."""
    method, rule = WALKED[way]
    plan = plan_for(method)
    plan = Plan.from_document({**plan.to_document(), "models": [rule]})
    outcome = protect(people(60, gaps=0.1), plan)
    assert outcome.solution
    claimed = claimed_of(outcome, plan)
    assert failures(claimed) == []
    unseen = []
    for place in walk(
        {k: own for k, own in claimed.report.to_document().items() if k not in ("plan", "report")}
    ):
        claims = recompute(replace(claimed, report=changed(claimed.report, place)))
        if not any(claim.fails for claim in claims) and not is_listed(place, claims):
            unseen.append(place)
    assert unseen == []


def claimed_among_people() -> ClaimedRelease:
    """A release whose plan names a population, as its package has it."""
    outcome, plan = protect_by({"model": "k-map", "k": 2, "population": "people.csv"}, 0.3, seed=5)
    assert outcome.solution
    return claimed_of(outcome, plan)


def test_numbers_that_count_a_population_are_compared_or_listed() -> None:
    claimed = claimed_among_people()
    assert failures(claimed) == []
    unseen = []
    for place in walk({"risk": claimed.report.risk.to_document()}):
        claims = recompute(replace(claimed, report=changed(claimed.report, place)))
        if not any(claim.fails for claim in claims) and not is_listed(place, claims):
            unseen.append(place)
    assert unseen == []


@pytest.mark.parametrize("name", ["journalist", "marketer"])
def test_a_population_cannot_make_a_risk_greater_nor_say_it_twice(name: str) -> None:
    claimed = claimed_among_people()
    greater = changed(claimed.report, ("risk", "after", name))
    assert (
        f"risk.after.{name}: a population cannot make it more"
        in failures(replace(claimed, report=greater))[0]
    )
    other = json.loads(json.dumps(claimed.report.to_document()))
    other["risk"]["after"][name] /= 2
    words = failures(replace(claimed, report=Report.from_document(other)))
    assert [own for own in words if own.startswith(f"risk.details.after.{name}")]


def test_what_only_the_original_decides_is_not_said() -> None:
    """How near a group is to the whole would tell the values of those who were left out."""
    method, rule = WALKED["t"]
    plan = Plan.from_document({**plan_for(method).to_document(), "models": [rule]})
    claimed = claimed_of(protect(people(60, gaps=0.1), plan), plan)
    assert claimed.left_out, "or nothing is unknown"
    told = RuleVerdict.of(claimed.plan["models"][0])
    assert claimed.report.models == (replace(told, holds=True),)
