"""Whatever the engine reports of a release can be computed again from the release, or is trusted.

One contract over all methods and all models: verifying an honest report finds nothing wrong.
"""

import io
import json
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Outcome, Plan, Table, protect
from deid_portal.engine.formats.file_format import FileKind
from deid_portal.engine.publishing import publish_plan, publish_report
from deid_portal.engine.verifying.claims import Claim, Claims
from deid_portal.engine.verifying.claims import Outcome as Judged
from deid_portal.engine.verifying.recomputing import AGAINST_THE_ORIGINAL, NEEDS_MORE, Claimed
from deid_portal.engine.verifying.recomputing import recompute as recompute_claims
from deid_portal.engine.verifying.tables import read_release
from deid_portal.engine.writing import write_csv
from tests.engine.tables import SECRETS, document, random_problem
from tests.engine.test_every_method import every_example, people, plan_for
from tests.engine.test_every_privacy_model import every_model, read_people


def claimed_of(outcome: Outcome, plan: Plan) -> Claimed:
    """Publish a release as a package does, and read it back."""
    assert outcome.released is not None
    levels = outcome.report["transformation"]["levels"]
    published, files = publish_plan(plan, outcome.released, levels)
    report = publish_report(outcome.report, published.to_document())
    stream = io.BytesIO()
    write_csv(outcome.released, stream)
    table = read_release(stream.getvalue(), FileKind.CSV)
    told = json.loads(json.dumps(report))
    return Claimed(table, told, json.loads(json.dumps(published.to_document())), files.__getitem__)


def recompute(claimed: Claimed) -> list[Claim]:
    claims = Claims()
    recompute_claims(claimed, claims)
    return claims.made


def failures(claimed: Claimed) -> list[str]:
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
    left_out = outcome.report["rows"]["suppressed"]
    is_trusted = name in NEEDS_MORE or (name in AGAINST_THE_ORIGINAL and left_out > 0)
    assert (name in trusted) == is_trusted, "what can be computed is computed"
