"""The record in words: a sentence for every event the code writes, and facts as people say them."""

import ast
import re
from collections.abc import Callable, Iterator

import pytest
from django.apps import apps
from django.test import Client

from deid_portal.accounts.models import User
from deid_portal.audit.chain_check import perform_check
from deid_portal.audit.models import ChainCheck, Event
from deid_portal.audit.verification import last_verification
from deid_portal.audit_trail.event_words import KINDS, SENTENCES, say_fact, sentence_of
from deid_portal.audit_trail.services import ask_for_verification
from deid_portal.work.leases import WorkStatus, claim
from tests import factories
from tests.conftest import Cast
from tests.source_trees import HOUSE, tree_of

SignIn = Callable[[User], Client]
NAME = re.compile(r"[a-z_]+(\.[a-z_]+)+")
# Notices that are no events, and names that only look like those of events.
NO_EVENTS = {"review.attacked", "run.no_solution", "sweep.ended"}
ENDINGS = (".csv", ".json", ".graphml", ".zip", ".pub", ".lock")


def _names_of_events() -> Iterator[str]:
    """Yield every text in the code that looks like the name of an event."""
    subjects = {action.partition(".")[0] for action in SENTENCES}
    for path in HOUSE.rglob("*.py"):
        if "engine" in path.parts or "migrations" in path.parts or path.name == "event_words.py":
            continue
        for node in ast.walk(tree_of(path)):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            text = node.value
            if NAME.fullmatch(text) and text.partition(".")[0] in subjects:
                yield text


def test_every_event_has_a_sentence_and_no_sentence_is_of_nothing() -> None:
    written = {name for name in _names_of_events() if not name.endswith(ENDINGS)}
    made_of_verdicts = {"review.changes_requested", "review.rejected"}
    assert written - NO_EVENTS <= set(SENTENCES), written - NO_EVENTS - set(SENTENCES)
    assert set(SENTENCES) <= written | made_of_verdicts, set(SENTENCES) - written


def test_every_kind_of_thing_has_words() -> None:
    models = {model._meta.model_name for model in apps.get_models()}
    assert set(KINDS) <= models | {"portal"}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("price_micro", 1_000_000, "ε 1"),
        ("granted_micro", 250_000, "ε 0.25"),
        ("other_micro", None, "no limit"),
        ("bytes", 4_600_000, "4.6\u00a0MB"),
        ("rows", 30_162, "30,162"),
        ("found", True, "yes"),
        ("methods", ["full-domain", "k_degree"], "full-domain, k degree"),
        ("plan_sha256", "ab" * 32, "abababab…"),
    ],
)
def test_facts_are_said_as_people_say_them(name: str, value: object, said: str) -> None:
    assert say_fact(name, value) == said


def test_the_page_says_sentences_and_finds_their_words(cast: Cast, signed_in: SignIn) -> None:
    factories.make_dataset(cast.steward, cast.team)
    client = signed_in(cast.steward)
    page = client.get("/audit/").content.decode()
    assert "Uploaded a file" in page
    assert "The file was read" in page
    assert "dataset uploaded" not in page
    found = client.get("/audit/", {"words": "uploaded"}).context["rows"]
    assert {row.event.action for row in found} == {"dataset.uploaded"}
    assert sentence_of("of.an_older_version") == "Of an older version"


def test_an_administrator_has_all_records_verified(
    cast: Cast, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deid_portal.audit_trail.views.is_queue_reachable", lambda: True)
    client = signed_in(cast.administrator)
    assert "Verify now" in client.get("/audit/").content.decode()
    assert client.post("/audit/verify/").status_code == 302
    client.post("/audit/verify/")
    check = ChainCheck.objects.get()
    assert Event.objects.filter(action="audit.verification_asked").count() == 1
    polled = client.get("/audit/verification/")
    assert polled.status_code == 200
    assert "waits for a worker" in polled.content.decode()
    lease = claim(ChainCheck, str(check.id))
    assert lease is not None
    perform_check(lease, records=Event.objects.count())
    found = last_verification()
    assert found is not None
    assert found.broken_at is None
    assert found.records == Event.objects.count()
    assert lease._latest["done"] == lease._latest["total"] == found.records
    over = client.get("/audit/verification/")
    assert over.status_code == 286
    assert "The chain is intact." in over.content.decode()


def test_a_verification_that_broke_off_says_so(cast: Cast, signed_in: SignIn) -> None:
    check = ask_for_verification(team=cast.team, asked_by=cast.administrator)
    ChainCheck.objects.filter(id=check.id).update(status=WorkStatus.FAILED, problem="It broke.")
    page = signed_in(cast.administrator).get("/audit/").content.decode()
    assert "It broke." in page
    assert "Verify now" not in signed_in(cast.steward).get("/audit/").content.decode()
