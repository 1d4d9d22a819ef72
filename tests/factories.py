"""Test worlds, built by the services people use, so that they obey the same rules."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from django.db import transaction
from django.utils import timezone

from deid_portal.accounts.models import Role, Team, User
from deid_portal.accounts.services import add_member, create_team
from deid_portal.attacks.execution import perform_attack
from deid_portal.attacks.models import AttackTest
from deid_portal.attacks.services import start_attacks
from deid_portal.datasets.models import Dataset, Reading
from deid_portal.datasets.pseudonyms import pseudonym_key_of
from deid_portal.datasets.reading_job import perform_reading
from deid_portal.datasets.sealed_upload import SealedUpload
from deid_portal.datasets.services import (
    keep_dataset,
    place_in_series,
    tag_columns,
    upload_dataset,
)
from deid_portal.engine.release.pseudonyms import pseudonym_of
from deid_portal.plans.services import choose_protection
from deid_portal.policies.models import Policy
from deid_portal.policies.rules import Rules
from deid_portal.pseudonyms.models import WayBack
from deid_portal.pseudonyms.services import keep_way_back, store_way_back
from deid_portal.querydesk.answer_job import perform_question
from deid_portal.querydesk.models import Desk, Period
from deid_portal.querydesk.models import Question as DeskQuestion
from deid_portal.querydesk.services import DeskOffer, ask, open_desk
from deid_portal.releases.models import Package, Release, TableFormat
from deid_portal.releases.package_archive import perform_packing
from deid_portal.releases.packages import request_package
from deid_portal.reviews.models import Decision, ReviewRequest
from deid_portal.reviews.policies import fingerprints_of
from deid_portal.reviews.services import RequestTerms, ask_for_review, decide
from deid_portal.runs.execution import perform_run
from deid_portal.runs.models import Run
from deid_portal.runs.services import start_run
from deid_portal.sources.models import Connection, Fetch
from deid_portal.sources.postgresql import Address, Encryption, TableOrQuery
from deid_portal.taxonomies.models import ColumnTaxonomy
from deid_portal.taxonomies.services import set_taxonomy
from deid_portal.vault import vault
from deid_portal.work.leases import claim
from deid_portal.work.models import WorkerProcess
from tests.patience import PATIENCE

DATA = Path(__file__).parent / "data"
# The decks' twelve patients; see tests/data/README.md.
PATIENTS = DATA / "patients12.csv"
PATIENT_ROLES = {
    "Id": "identifier",
    "Name": "identifier",
    "Zip": "quasi-identifier",
    "Age": "quasi-identifier",
    "Condition": "sensitive",
}
MASK = {"mask": {"from": "right", "character": "*"}}
DECADES = {"intervals": {"start": 0, "width": 10, "widen": [2, 2]}}
RULES = [{"model": "k-anonymity", "k": 4}]
METHOD = {"name": "full-domain", "suppression_limit": 0.0, "metric": "loss"}


def make_person(name: str, team: Team | None = None, *roles: Role) -> User:
    user = User.objects.create_user(name, password=f"password of {name}", first_name=name.title())
    if team is not None:
        add_member(team=team, user=user, roles=roles, added_by=None)
    return user


def make_team(name: str = "Population statistics") -> Team:
    return create_team(name=name)


def store_upload(content: bytes, name: str = "table.csv") -> SealedUpload:
    stored_as = f"incoming/{uuid4()}"
    with vault.VaultWriter(stored_as) as writer:
        writer.write(content)
    return SealedUpload(name, stored_as, len(content), hashlib.sha256(content).hexdigest())


def make_upload(steward: User, team: Team, content: bytes | None = None) -> Dataset:
    """A file that awaits the steward's word on its preview."""
    content = PATIENTS.read_bytes() if content is None else content
    upload = store_upload(content, "patients.csv")
    return upload_dataset(team=team, uploaded_by=steward, upload=upload, name="Patients")


def make_dataset(steward: User, team: Team, content: bytes | None = None) -> Dataset:
    """A table that was read, its columns not yet decided."""
    return read_upload(make_upload(steward, team, content), steward)


def read_upload(dataset: Dataset, steward: User) -> Dataset:
    """Keep an upload as it is and do a worker's work on it."""
    reading = keep_dataset(dataset=dataset, kept_by=steward)
    lease = claim(Reading, str(reading.id))
    assert lease is not None
    perform_reading(lease)
    dataset.refresh_from_db()
    return dataset


def make_tagged_dataset(steward: User, team: Team) -> Dataset:
    dataset = make_dataset(steward, team)
    roles = {column.position: PATIENT_ROLES[column.name] for column in dataset.columns.all()}
    tag_columns(dataset=dataset, tagged_by=steward, roles=roles)
    return dataset


def make_planned_dataset(steward: User, team: Team) -> Dataset:
    """A dataset with tags, taxonomies and a protection: ready to run."""
    dataset = make_tagged_dataset(steward, team)
    for name, kind, recipe in (
        ("Zip", ColumnTaxonomy.Kind.MASK, MASK),
        ("Age", ColumnTaxonomy.Kind.INTERVALS, DECADES),
    ):
        column = dataset.columns.get(name=name)
        set_taxonomy(column=column, changed_by=steward, kind=kind, recipe=recipe)
    choose_protection(dataset=dataset, chosen_by=steward, rules=RULES, method=METHOD)
    return dataset


def make_paid_dataset(steward: User, team: Team, rows: int = 600) -> Dataset:
    """A German file of people with an income to the cent: semicolons and decimal commas."""
    chance = np.random.default_rng(7)
    pay = np.exp(chance.normal(7.9, 0.5, rows))
    lines = [f"{20 + row % 40};{'AB'[row % 2]};{pay[row]:.2f}" for row in range(rows)]
    content = "\n".join(["Age;Town;Pay", *(line.replace(".", ",") for line in lines)])
    dataset = make_dataset(steward, team, content.encode())
    roles = dict(enumerate(["quasi-identifier", "quasi-identifier", "sensitive"]))
    tag_columns(dataset=dataset, tagged_by=steward, roles=roles)
    age, town = dataset.columns.get(name="Age"), dataset.columns.get(name="Town")
    kinds = ColumnTaxonomy.Kind
    set_taxonomy(column=age, changed_by=steward, kind=kinds.INTERVALS, recipe=DECADES)
    tree = {"tree": {"*": ["A", "B"]}}
    set_taxonomy(column=town, changed_by=steward, kind=kinds.TREE, recipe=tree)
    dataset.refresh_from_db()
    return dataset


def make_next_upload(before: Dataset, steward: User, content: bytes) -> Dataset:
    """Next month's file, waiting for the steward's word on its preview."""
    dataset = make_upload(steward, before.team, content)
    place_in_series(dataset=dataset, placed_by=steward, next_of=before)
    return dataset


def make_next_version(before: Dataset, steward: User, content: bytes) -> Dataset:
    return read_upload(make_next_upload(before, steward, content), steward)


def make_finished_run(steward: User, team: Team) -> Run:
    run = start_run(dataset=make_planned_dataset(steward, team), started_by=steward)
    return finish_run(run)


def finish_run(run: Run) -> Run:
    """Do a worker's work on a queued run."""
    lease = claim(Run, str(run.id))
    assert lease is not None
    perform_run(lease)
    run.refresh_from_db()
    return run


def make_request(steward: User, team: Team, people: Sequence[User] = ()) -> ReviewRequest:
    run = make_finished_run(steward, team)
    allow_small_groups(team, steward)
    terms = RequestTerms("teaching file", people, downloads_per_person=3)
    return ask_for_review(run=run, asked_by=steward, terms=terms)


def allow_small_groups(team: Team, changed_by: User, **changes: Any) -> None:
    """A policy that twelve patients can meet; no test of reviews is about it."""
    rules = Rules(**{"least_k": 4, "highest_risk": 0.25, "protect_sensitive": False, **changes})
    version = team.policies.count() + 1
    Policy.objects.create(
        team=team, version=version, rules=rules.to_document(), changed_by=changed_by
    )


def make_release(steward: User, approver: User, team: Team, people: Sequence[User] = ()) -> Release:
    """A release for the people named, three times each; without any, for the analysts."""
    return approve(make_request(steward, team, people), approver)


def approve(request: ReviewRequest, approver: User) -> Release:
    decide(
        request=request,
        decided_by=approver,
        verdict=Decision.Verdict.APPROVE,
        reason="",
        seen=fingerprints_of(request),
    )
    return Release.objects.get(request=request)


def pack(release: Release, format: str = TableFormat.CSV, person: User | None = None) -> Package:
    """Have a release packed and do a worker's work on it; a package that is there stays."""
    package = request_package(release=release, format=format, person=person)
    lease = claim(Package, str(package.id))
    if lease is not None:
        perform_packing(lease)
    package.refresh_from_db()
    return package


def make_worker() -> WorkerProcess:
    """A worker process that counts as alive however late it is looked for."""
    return WorkerProcess.objects.create(seen_at=timezone.now() + timedelta(seconds=PATIENCE))


def make_fetch(steward: User, team: Team) -> Fetch:
    """A copy that waits, and a connection to a server nobody may connect to."""
    address = Address("db.example", 5432, "ward", "reader", "secret", Encryption.ENCRYPTED)
    Connection.objects.create(team=team, name="Ward", sealed=asdict(address), created_by=steward)
    sealed = asdict(TableOrQuery(table="public.patients"))
    return Fetch.objects.create(team=team, asked_by=steward, name="patients", sealed=sealed)


def make_exposed_run(steward: User, team: Team) -> Run:
    """A finished run of the twelve patients in which all of those in their thirties have cancer."""
    dataset = make_planned_dataset(steward, team)
    levels = {"name": "levels", "levels": {"Zip": 2, "Age": 1}, "suppression_limit": 1.0}
    choose_protection(dataset=dataset, chosen_by=steward, rules=RULES, method=levels)
    dataset.refresh_from_db()
    return finish_run(start_run(dataset=dataset, started_by=steward))


def finish_attack(test: AttackTest) -> AttackTest:
    """Do a worker's work on a queued attack."""
    lease = claim(AttackTest, str(test.id))
    assert lease is not None
    perform_attack(lease)
    test.refresh_from_db()
    return test


def attack(run: Run, steward: User, *attacks: str) -> list[AttackTest]:
    """Make attacks on a run; all that need no outside table, unless some are named."""
    named = {"attacks": attacks} if attacks else {}
    return [finish_attack(test) for test in start_attacks(run=run, asked_by=steward, **named)]


def make_way_back(run: Run) -> WayBack:
    """A way back that leads to one invented person."""
    key = pseudonym_key_of(run.dataset.team)
    way = (pseudonym_of("Jack", key.bytes), "Name", "Jack")
    store_way_back(dataset=run.dataset, run_id=run.id, attempt=run.attempt, ways=[way])
    with transaction.atomic():
        return keep_way_back(
            dataset=run.dataset,
            run_id=run.id,
            run_number=run.number,
            attempt=run.attempt,
            key=key,
            pseudonyms=1,
            asked_by=run.started_by,
        )


def ask_for(dataset: Dataset, steward: User) -> ReviewRequest:
    """Run the plan of a dataset and ask for its release."""
    run = finish_run(start_run(dataset=dataset, started_by=steward))
    allow_small_groups(dataset.team, steward)
    return ask_for_review(run=run, asked_by=steward, terms=RequestTerms("teaching file"))


PATIENT_SETTING: dict[str, Any] = {
    "neighbours": "add_remove",
    "domains": {
        "Age": {"low": 0, "high": 100},
        "Condition": {"values": ["Cancer", "Diabetes", "Flu"]},
    },
}


def make_offer(**changes: Any) -> DeskOffer:
    """Terms of a desk: ε 20 in all, 5 for each, filled again every quarter."""
    usual: dict[str, Any] = {
        "setting": PATIENT_SETTING,
        "total_micro": 20_000_000,
        "analyst_micro": 5_000_000,
        "period": Period.QUARTER,
        "smallest_micro": 10_000,
    }
    return DeskOffer(**{**usual, **changes})


def make_desk(steward: User, team: Team, dataset: Dataset | None = None, **changes: Any) -> Desk:
    """The twelve patients, open for questions."""
    dataset = dataset or make_dataset(steward, team)
    return open_desk(dataset=dataset, opened_by=steward, offer=make_offer(**changes))


def ask_about(desk: Desk, person: User, *, epsilon: float = 1.0, **document: Any) -> DeskQuestion:
    """Ask, paying the price; the answer waits for a worker."""
    return ask(
        desk=desk,
        asked_by=person,
        document={"query": "count", "epsilon": epsilon, **document},
        key=uuid4(),
        seen_terms=desk.current.number,
    )


def answer_question(question: DeskQuestion) -> DeskQuestion:
    """Do a worker's work on a question."""
    lease = claim(DeskQuestion, str(question.id))
    assert lease is not None
    perform_question(lease)
    return DeskQuestion.objects.get(id=question.id)
