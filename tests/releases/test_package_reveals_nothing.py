"""A package does not reveal which of two originals with the same release it was made from."""

from typing import Any

import numpy as np
import pytest

from deid_portal.datasets.models import Dataset
from deid_portal.engine import Plan
from deid_portal.releases.package_certificate import Certificate, write_certificate
from deid_portal.releases.release_statement import ReleaseStatement
from deid_portal.releases.subjects import PackedTable
from tests.engine.publication.twins import (
    COLUMNS,
    LEVELS,
    draw_people,
    make_twins,
    what_is_published,
)
from tests.engine.tables import document

STATEMENT: dict[str, Any] = {
    "dataset": "Patients",
    "team": "Registry",
    "release": 1,
    "purpose": "teaching",
    "released_at": "2026-11-16T05:57+00:00",
    "asked_by": "Sara",
    "approvals": [{"person": "Anton", "at": "2026-11-16T05:57+00:00"}],
    "policy": {"version": 1},
    "gates": [],
    "waivers": [],
    "attacks": [],
    "output_sha256": "0" * 64,
    "engine": "0.1.0",
    "is_late": False,
}


@pytest.mark.parametrize("model", ["k-anonymity", "t-closeness"])
def test_certificates_of_twins_are_the_same_to_the_byte(model: str) -> None:
    closeness = {"model": "t-closeness", "t": 0.7, "column": "illness"}
    models = [{"model": "k-anonymity", "k": 3}, *([closeness] if model == "t-closeness" else [])]
    method = {"name": "levels", "levels": LEVELS, "suppression_limit": 1.0}
    plan = Plan.from_document(document(COLUMNS, models=models, method=method))
    generator = np.random.default_rng(4)
    compared = 0
    while compared < 3:
        for twins in make_twins(generator, draw_people(generator, 50), plan, tries=4):
            first, second = (certificate_of(plan, twin) for twin in twins)
            assert first == second
            compared += 1


def certificate_of(plan: Plan, outcome: Any) -> str:
    publication, report = what_is_published(plan, outcome)
    stated, subject = ReleaseStatement.from_document(STATEMENT), PackedTable(Dataset())
    return write_certificate(Certificate(stated, report, publication, "0" * 64, subject))


def test_statements_of_before_leave_without_figures_of_the_original() -> None:
    """Gates and attacks were written down with what they measured; today they are not."""
    gate = {"asks": "", "result": "pass"}
    old = {
        "gates": [
            {**gate, "name": "least_k", "has": "5 in the smallest group, 12 groups"},
            {**gate, "name": "most_left_out_of_group", "has": "sex, one of its groups: 4.1 %"},
            {**gate, "name": "attacks.singling-out", "has": "3.7 %"},
            {**gate, "name": "cross_releases", "has": "at least 4 with 1 earlier release"},
        ],
        "waivers": [{**gate, "name": "attacks.record-linkage", "has": "9.2 %", "result": "waived"}],
        "attacks": [
            {"attack": "singling-out", "title": "Singling out", "about": "", "state": "Resisted",
             "share": 0.037, "interval": [0.02, 0.05], "share_words": "3.7 %", "limit": 0.05,
             "is_limit_of_policy": True, "sentence": "15 of 401", "compared": "control 3 %"}
        ],
    }  # fmt: skip
    said = leaving(old)
    assert [own["has"] for own in said["gates"]] == [
        "5 in the smallest group, 12 groups", *["within the limit"] * 3
    ]  # fmt: skip
    assert said["waivers"][0]["has"] == "over the limit"
    assert said["attacks"] == [
        {"attack": "singling-out", "title": "Singling out", "about": "", "state": "Resisted",
         "limit": 0.05, "is_limit_of_policy": True}
    ]  # fmt: skip
    assert leaving(said) == said


def leaving(document: dict[str, Any]) -> dict[str, Any]:
    stated = ReleaseStatement.from_document(document)
    return stated.without_figures_of_the_original().to_document()
