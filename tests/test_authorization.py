"""Who may open which address: one table over every URL, and a test that it is complete.

Each line gives the answer to a GET (or, where only that is taken, an empty POST) per person.
Outsiders and analysts find nothing of a dataset: 404, never 403.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from uuid import UUID

import pytest
from django.db import transaction
from django.db.models import Model
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from pytest_django import Settings

from deid_portal.accounts.models import Role, User
from deid_portal.accounts.services import add_member, invite
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.subjects import SubjectKind
from deid_portal.pseudonyms.models import WayBack
from deid_portal.querydesk.models import Desk, Draft, Question, Wish
from deid_portal.querydesk.services import save_draft
from deid_portal.querydesk.wishes import ask_for_more
from deid_portal.releases.models import Release
from deid_portal.runs.models import Sweep
from deid_portal.sources.models import Connection, Fetch
from deid_portal.taxonomies.library import save_to_library
from tests import factories
from tests.conftest import Cast
from tests.networks import worlds

PEOPLE = ("outsider", "analyst", "reviewer", "approver", "administrator", "steward", "teammate")


@dataclass(frozen=True)
class Line:
    """What people get: the steward, the other roles of the team, the analyst, the outsider."""

    method: str
    about: str  # what the address is about: nothing, dataset, column, run, connection, …
    steward: int
    role: int  # reviewer, approver and administrator
    analyst: int
    outsider: int
    kwargs: tuple[tuple[str, str], ...] = ()
    administrator: int | None = None  # where it is not as for the other roles
    approver: int | None = None

    def expected(self, who: str) -> int:
        own: dict[str, int | None] = {
            "steward": self.steward,
            "teammate": self.steward,
            "analyst": self.analyst,
            "outsider": self.outsider,
            "administrator": self.administrator,
            "approver": self.approver,
        }
        answer = own.get(who)
        return self.role if answer is None else answer


# Doors of signing in: whoever is signed in already is led on.
SIGN_IN = ["account_login", "mfa_authenticate", "mfa_login_webauthn"]
# A person's own account, the same for everybody.
OWN_ACCOUNT = [
    "account_inactive",
    "account_change_password",
    "account_reauthenticate",
    "mfa_index",
    "mfa_list_webauthn",
]
# Without an authenticator app there is nothing to turn off or to recover.
NOTHING_THERE = [
    "mfa_deactivate_totp",
    "mfa_view_recovery_codes",
    "mfa_download_recovery_codes",
]
# Changes of how one signs in: first the password is asked for again.
ASKED_AGAIN = [
    "mfa_reauthenticate",
    "mfa_reauthenticate_webauthn",
    "mfa_activate_totp",
    "mfa_add_webauthn",
    "mfa_generate_recovery_codes",
]
OWN_PASSKEY = ["mfa_remove_webauthn", "mfa_edit_webauthn"]
# A file on its way in concerns only who sends it.
OWN_UPLOAD = ["datasets:send-piece", "datasets:finish-upload", "datasets:give-up-upload"]
NO_UPLOAD = (("upload_id", str(UUID(int=0))),)

TABLE = {
    "guide:home": Line("GET", "", 200, 200, 200, 200),
    "guide:running": Line("GET", "", 286, 286, 286, 286),
    "guide:bell": Line("GET", "", 200, 200, 200, 200),
    "guide:find": Line("GET", "", 200, 200, 200, 200),
    "guide:help": Line("GET", "", 200, 200, 200, 200),
    "guide:help-page": Line("GET", "", 200, 200, 200, 200, (("slug", "columns"),)),
    **{name: Line("GET", "", 302, 302, 302, 302) for name in SIGN_IN},
    **{name: Line("GET", "", 200, 200, 200, 200) for name in OWN_ACCOUNT},
    **{name: Line("GET", "", 302, 302, 302, 302) for name in ASKED_AGAIN},
    **{name: Line("GET", "", 404, 404, 404, 404) for name in NOTHING_THERE},
    **{name: Line("GET", "", 302, 302, 302, 302, (("pk", "1"),)) for name in OWN_PASSKEY},
    "account_logout": Line("POST", "", 302, 302, 302, 302),
    "accounts:sessions": Line("GET", "", 200, 200, 200, 200),
    "accounts:end-session": Line("POST", "", 404, 404, 404, 404, (("session_id", "1"),)),
    "accounts:end-other-sessions": Line("POST", "", 302, 302, 302, 302),
    "accounts:team": Line("GET", "", 200, 200, 200, 200),
    "accounts:invite": Line("POST", "", 403, 403, 403, 403, administrator=422),
    "accounts:revoke-invitation": Line("POST", "invitation", 403, 403, 403, 404, administrator=302),
    "accounts:set-roles": Line("POST", "person", 302, 302, 302, 404),
    "accounts:join": Line("GET", "", 404, 404, 404, 404, (("token", "unknown"),)),
    "policies:show": Line("GET", "", 200, 200, 404, 200),
    "policies:change": Line("GET", "", 403, 403, 403, 403, administrator=200),
    "accounts:switch-team": Line("POST", "", 404, 404, 404, 404),
    "accounts:set-theme": Line("POST", "", 400, 400, 400, 400),
    "datasets:list": Line("GET", "", 200, 200, 302, 200),
    "datasets:new": Line("GET", "", 200, 403, 403, 200),
    "datasets:begin-upload": Line("POST", "", 422, 403, 403, 422),
    **{name: Line("POST", "", 404, 404, 404, 404, NO_UPLOAD) for name in OWN_UPLOAD},
    "pseudonyms:show": Line("GET", "", 200, 200, 404, 200),
    "pseudonyms:rotate": Line("POST", "", 403, 403, 403, 403, administrator=422),
    "pseudonyms:way-back": Line("GET", "way back", 403, 403, 404, 404, administrator=200),
    "pseudonyms:destroy": Line("POST", "way back", 403, 403, 404, 404, administrator=302),
    "sources:list": Line("GET", "", 200, 403, 403, 200),
    "sources:choose": Line("GET", "connection", 403, 403, 404, 404),
    "sources:password": Line("POST", "connection", 403, 403, 404, 404),
    "sources:remove": Line("POST", "connection", 302, 403, 404, 404),
    "sources:fetch": Line("GET", "fetch", 200, 403, 404, 404),
    "sources:stop": Line("POST", "fetch", 302, 403, 404, 404),
    "guide:enter": Line("GET", "dataset", 302, 302, 404, 404),
    "datasets:preview": Line("GET", "dataset", 200, 200, 404, 404),
    "datasets:set-format": Line("POST", "dataset", 422, 422, 404, 404),
    "datasets:place": Line("POST", "dataset", 302, 403, 404, 404),
    "datasets:keep": Line("POST", "dataset", 302, 302, 404, 404),
    "datasets:reading": Line("GET", "dataset", 302, 302, 404, 404),
    "datasets:stop-reading": Line("POST", "dataset", 302, 302, 404, 404),
    "datasets:discard": Line("POST", "dataset", 403, 403, 404, 404),
    "datasets:set-deletion": Line("POST", "dataset", 302, 302, 404, 404),
    "datasets:forget": Line("POST", "dataset", 302, 403, 404, 404),
    "datasets:columns": Line("GET", "dataset", 200, 200, 404, 404),
    "datasets:tag-many": Line("POST", "dataset", 400, 400, 404, 404),
    "datasets:accept": Line("POST", "dataset", 302, 403, 404, 404),
    "datasets:undo": Line("POST", "dataset", 302, 403, 404, 404),
    "datasets:column": Line("GET", "column", 200, 200, 404, 404),
    "datasets:isolation": Line("GET", "column", 200, 403, 404, 404),
    "datasets:tag": Line("POST", "column", 302, 403, 404, 404),
    "datasets:set-treatment": Line("POST", "column", 400, 400, 404, 404),
    "taxonomies:overview": Line("GET", "dataset", 302, 302, 404, 404),
    "taxonomies:workbench": Line("GET", "column", 200, 200, 404, 404),
    "taxonomies:build": Line("POST", "column", 302, 403, 404, 404, (("kind", "flat"),)),
    "taxonomies:try": Line("POST", "column", 200, 403, 404, 404, (("kind", "flat"),)),
    "taxonomies:upload-file": Line("POST", "column", 422, 422, 404, 404),
    "taxonomies:remove": Line("POST", "column", 302, 403, 404, 404),
    "taxonomies:export": Line("GET", "column", 200, 403, 404, 404),
    "taxonomies:propose-missing": Line("POST", "dataset", 302, 403, 404, 404),
    "taxonomies:propose": Line("POST", "column", 302, 403, 404, 404),
    "taxonomies:use-library": Line("POST", "column", 422, 403, 404, 404, (("key", "shelf-dates"),)),
    "taxonomies:begin-version": Line("POST", "column", 302, 403, 404, 404),
    "taxonomies:library": Line("GET", "", 200, 200, 404, 200),
    "taxonomies:shelf-entry": Line("GET", "", 200, 200, 404, 200, (("slug", "ages"),)),
    "taxonomies:export-shelf-entry": Line("GET", "", 200, 200, 404, 200, (("slug", "countries"),)),
    "taxonomies:kept": Line("GET", "kept", 200, 403, 404, 404),
    "taxonomies:export-kept": Line("GET", "kept", 200, 403, 404, 404),
    "taxonomies:remove-kept": Line("POST", "kept", 302, 403, 404, 404),
    "taxonomies:fitting": Line("GET", "column", 200, 403, 404, 404),
    "taxonomies:adopt": Line("POST", "column", 403, 403, 404, 404, (("key", "shelf-dates"),)),
    "taxonomies:forget": Line("POST", "column", 404, 403, 404, 404, (("key", "team-0"),)),
    "taxonomies:public-labels": Line("POST", "column", 403, 403, 404, 404),
    "taxonomies:keep": Line("POST", "column", 422, 403, 404, 404),
    "taxonomies:edit": Line("POST", "column", 400, 403, 404, 404),
    "taxonomies:restore": Line("POST", "column", 302, 403, 404, 404, (("number", "1"),)),
    "plans:protection": Line("GET", "dataset", 200, 200, 404, 404),
    "plans:keep": Line("POST", "dataset", 200, 403, 404, 404),
    "plans:promise": Line("POST", "dataset", 200, 200, 404, 404),
    "plans:estimate": Line("POST", "dataset", 200, 200, 404, 404),
    "plans:prices": Line("POST", "dataset", 200, 200, 404, 404),
    "plans:add-population": Line("POST", "dataset", 302, 403, 404, 404),
    "plans:remove-population": Line(
        "POST", "dataset", 404, 403, 404, 404, (("population_id", str(UUID(int=0))),)
    ),
    "plans:document": Line("GET", "dataset", 200, 403, 404, 404),
    "versions:drift": Line("GET", "dataset", 200, 200, 404, 404),
    "versions:name-people": Line("POST", "dataset", 302, 403, 404, 404),
    "versions:history": Line("GET", "dataset", 200, 200, 404, 404),
    "networks:list": Line("GET", "", 200, 200, 302, 200),
    "networks:new": Line("GET", "", 200, 403, 403, 200),
    "networks:show": Line("GET", "network", 200, 200, 404, 404),
    "networks:reading": Line("GET", "network", 302, 302, 404, 404),
    "networks:stop": Line("POST", "network", 302, 302, 404, 404),
    "networks:read-again": Line("POST", "network", 422, 403, 404, 404),
    "networks:changes": Line("GET", "network", 200, 200, 404, 404),
    "networks:risk": Line("GET", "network", 200, 200, 404, 404),
    "networks:protection": Line("GET", "network", 200, 200, 404, 404),
    "networks:document": Line("GET", "network", 200, 403, 404, 404),
    "runs:list": Line("GET", "dataset", 200, 200, 404, 404),
    "runs:start": Line("POST", "dataset", 302, 302, 404, 404),
    "runs:show": Line("GET", "run", 302, 302, 404, 404),
    "runs:progress": Line("GET", "run", 286, 286, 404, 404),
    "runs:stop": Line("POST", "run", 302, 302, 404, 404),
    "runs:try": Line("POST", "run", 302, 302, 404, 404),
    "runs:retry": Line("POST", "run", 302, 302, 404, 404),
    "runs:move-ahead": Line("POST", "run", 302, 302, 404, 404),
    "runs:sweep": Line("GET", "dataset", 200, 200, 404, 404),
    "runs:sweep-size": Line("POST", "dataset", 200, 200, 404, 404),
    "runs:stop-sweep": Line("POST", "sweep", 302, 302, 404, 404),
    "reports:board": Line("GET", "dataset", 200, 200, 404, 404),
    "reports:board-running": Line("GET", "dataset", 286, 286, 404, 404),
    "reports:comparison": Line("GET", "dataset", 404, 404, 404, 404),
    "reports:promote": Line("POST", "run", 302, 302, 404, 404),
    "reports:undo-promotion": Line("POST", "run", 302, 302, 404, 404),
    "reports:report": Line("GET", "run", 200, 200, 404, 404),
    "reports:section": Line("GET", "run", 200, 403, 404, 404, (("section", "side-by-side"),)),
    "reports:document": Line("GET", "run", 200, 200, 404, 404),
    "reports:recipe": Line("GET", "run", 200, 403, 404, 404),
    "attacks:show": Line("GET", "run", 200, 200, 404, 404),
    "attacks:progress": Line("GET", "run", 286, 286, 404, 404),
    "attacks:start": Line("POST", "run", 302, 302, 404, 404),
    "attacks:stop": Line("POST", "run", 302, 302, 404, 404, (("key", "homogeneity"),)),
    "attacks:bring-outside": Line("POST", "run", 422, 403, 404, 404),
    "attacks:start-outside": Line("POST", "run", 422, 403, 404, 404),
    "attacks:discard-outside": Line("POST", "run", 302, 403, 404, 404),
    "attacks:compare": Line("POST", "run", 422, 403, 404, 404, (("key", "inference"),)),
    "querydesk:list": Line("GET", "", 200, 200, 302, 200),
    "querydesk:lessons": Line("GET", "", 200, 200, 200, 200),
    "querydesk:open": Line("GET", "dataset", 200, 403, 404, 404),
    "querydesk:show": Line("GET", "desk", 200, 302, 200, 404),
    "querydesk:answers": Line("GET", "desk", 200, 403, 200, 404),
    "querydesk:price": Line("POST", "desk", 200, 403, 200, 404),
    "querydesk:ask": Line("POST", "desk", 422, 403, 422, 404),
    "querydesk:keep-draft": Line("POST", "desk", 302, 403, 302, 404),
    "querydesk:statement": Line("GET", "desk", 200, 403, 200, 404),
    "querydesk:more": Line("GET", "desk", 200, 403, 200, 404),
    "querydesk:accounts": Line("GET", "desk", 200, 200, 403, 404),
    "querydesk:close": Line("POST", "desk", 302, 403, 403, 404),
    "querydesk:answer": Line("GET", "question", 404, 404, 200, 404),
    "querydesk:answer-csv": Line("GET", "question", 404, 404, 200, 404),
    "querydesk:stop": Line("POST", "question", 404, 404, 302, 404),
    "querydesk:drop-draft": Line("POST", "draft", 404, 404, 302, 404),
    "querydesk:wish": Line("GET", "wish", 200, 200, 200, 404),
    "reviews:ask": Line("GET", "run", 200, 200, 404, 404),
    "reviews:show": Line("GET", "request", 200, 200, 404, 404),
    "reviews:decide": Line("POST", "request", 422, 422, 404, 404),
    "reviews:comment": Line("POST", "request", 422, 422, 404, 404),
    "reviews:edit": Line("GET", "request", 200, 200, 404, 404),
    "reviews:submit": Line("POST", "request", 302, 302, 404, 404),
    "reviews:waive": Line("POST", "request", 422, 422, 404, 404),
    "reviews:agree": Line("POST", "request", 404, 404, 404, 404, (("waiver_id", "0"),)),
    "reviews:answered": Line("POST", "request", 404, 404, 404, 404, (("comment_id", "0"),)),
    "reviews:take-back": Line("POST", "request", 302, 302, 404, 404),
    "releases:list": Line("GET", "", 200, 200, 200, 200),
    "releases:show": Line("GET", "release", 200, 200, 200, 404),
    "releases:certificate": Line("GET", "release", 200, 200, 200, 404, (("kind", "html"),)),
    "releases:packing": Line("GET", "release", 286, 286, 286, 404),
    "releases:download": Line("GET", "release", 403, 403, 200, 404),
    "releases:pack": Line("POST", "release", 302, 302, 302, 404),
    "releases:name-person": Line("POST", "release", 422, 403, 403, 404),
    "releases:change-terms": Line("POST", "grant", 422, 403, 403, 404),
    "releases:end-period": Line("POST", "grant", 302, 403, 403, 404),
    "releases:decline-period": Line("POST", "grant", 302, 403, 403, 404),
    "releases:ask-period": Line("POST", "release", 302, 302, 302, 404),
    "releases:withdraw": Line("POST", "release", 422, 403, 403, 404, approver=422),
    "releases:repeat": Line("POST", "release", 302, 403, 403, 404),
    "notices:list": Line("GET", "", 200, 200, 200, 200),
    "notices:read-all": Line("POST", "", 302, 302, 302, 302),
    "notices:choose-mails": Line("POST", "", 400, 400, 400, 400),
    "audit:show": Line("GET", "", 200, 200, 404, 200),
    "audit:verification": Line("GET", "", 286, 286, 404, 286),
    "audit:verify": Line("POST", "", 403, 403, 404, 403, administrator=302),
    "audit:export": Line("POST", "", 422, 403, 404, 422, administrator=422),
}
OPEN_TO_ALL = {"healthz"}
OPEN_WITHOUT_SIGNING_IN = {*SIGN_IN, "account_inactive", "accounts:join"}


def _names(patterns: list[URLPattern | URLResolver], prefix: str = "") -> list[str]:
    found: list[str] = []
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            found += _names(
                pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else ""
            )
        else:
            found.append(f"{prefix}{pattern.name}")
    return found


def test_every_address_is_in_the_table() -> None:
    names = set(_names(get_resolver().url_patterns))
    assert names == {*TABLE, *OPEN_TO_ALL}


@pytest.fixture(autouse=True)
def frame_is_remembered(settings: Settings) -> None:
    """Nothing changes between two questions, so what stands around each page is looked up once."""
    settings.GLANCE_SECONDS = 3600


@pytest.fixture
def release(cast: Cast, without_pdf: None) -> Release:
    invite(team=cast.team, invited_by=cast.administrator, roles=[Role.ANALYST])
    factories.make_fetch(cast.steward, cast.team)
    release = factories.make_release(cast.steward, cast.approver, cast.team)
    factories.pack(release)
    dataset = release.request.run.dataset
    factories.make_way_back(release.request.run)
    Sweep.objects.create(dataset=dataset, number=1, started_by=cast.steward, words="")
    _use_the_desk(cast, dataset)
    worlds.protect_karate(cast.steward, worlds.make_network(cast.steward, cast.team))
    zips = dataset.columns.get(name="Zip")
    save_to_library(column=zips, saved_by=cast.steward, name="Zips", source="")
    return release


def _use_the_desk(cast: Cast, dataset: Dataset) -> None:
    """The analyst asks, keeps a draft, and asks for more."""
    desk = factories.make_desk(cast.steward, cast.team, dataset)
    factories.answer_question(factories.ask_about(desk, cast.analyst))
    save_draft(desk=desk, person=cast.analyst, fields={}, words="How many?")
    ask_for_more(desk=desk, asked_by=cast.analyst, micro=1_000_000, reason="more counts")


def _get(model: type[Model]) -> object:
    found = model._default_manager.first()
    return found.pk if found else None


def _addresses(release: Release) -> dict[str, str]:
    """Return where each name of the table leads to in this world."""
    ids = _ids(release)
    return {
        name: reverse(name, kwargs={**ids[line.about], **dict(line.kwargs)})
        for name, line in TABLE.items()
    }


def _ids(release: Release) -> dict[str, dict[str, object]]:
    request = release.request
    column = request.run.dataset.columns.get(name="Zip")
    return {
        "": {},
        "dataset": {"dataset_id": request.run.dataset.id},
        "network": {"dataset_id": Dataset.objects.get(kind=SubjectKind.NETWORK).id},
        "column": {"dataset_id": request.run.dataset.id, "position": column.position},
        "run": {"run_id": request.run.id},
        "sweep": {"sweep_id": request.run.dataset.sweeps.get().id},
        "request": {"request_id": request.id},
        "release": {"release_id": release.id},
        "grant": {"release_id": release.id, "grant_id": release.grants.get().id},
        "invitation": {"invitation_id": request.run.dataset.team.invitations.get().id},
        "person": {"user_id": request.asked_by_id},
        "connection": {"connection_id": _get(Connection)},
        "way back": {"way_back_id": _get(WayBack)},
        "fetch": {"fetch_id": _get(Fetch)},
        "desk": {"desk_id": _get(Desk)},
        "question": {"question_id": _get(Question)},
        "draft": {"draft_id": _get(Draft)},
        "wish": {"wish_id": _get(Wish)},
        "kept": {"kept_id": request.run.dataset.team.library_taxonomies.get().id},
    }


def _answer(client: Client, line: Line, address: str) -> int:
    """Ask, and undo what the question may have changed, signing out included."""
    signed_in = copy(client.cookies)
    with transaction.atomic():
        answer = client.get(address) if line.method == "GET" else client.post(address)
        transaction.set_rollback(True)
    client.cookies = signed_in
    return answer.status_code


def test_people_get_what_the_table_says(
    cast: Cast, release: Release, signed_in: Callable[[User], Client]
) -> None:
    wrong = []
    addresses = _addresses(release)
    for who in PEOPLE:
        client = signed_in(getattr(cast, who))
        for name, line in TABLE.items():
            got, expected = _answer(client, line, addresses[name]), line.expected(who)
            if got != expected:
                wrong.append(f"{who} at {name}: {got} instead of {expected}")
    assert not wrong, "\n".join(wrong)


# Open to the analyst of the table because they are named or it is their own, not by their role.
ONLY_WHO_IS_NAMED = {
    "releases:download",
    "querydesk:answer",
    "querydesk:answer-csv",
    "querydesk:stop",
    "querydesk:drop-draft",
}
# What is reached by its id belongs to its team, whichever team a person has chosen to work in.
REACHED_BY_ID = {"dataset", "column", "run", "sweep", "request", "release"}


def test_several_roles_open_what_each_of_them_opens(
    cast: Cast, release: Release, signed_in: Callable[[User], Client]
) -> None:
    client = signed_in(factories.make_person("both", cast.team, Role.REVIEWER, Role.ANALYST))
    addresses = _addresses(release)
    wrong = []
    for name, line in TABLE.items():
        if name in ONLY_WHO_IS_NAMED:
            continue
        expected = _most(line.role, line.analyst)
        got = _answer(client, line, addresses[name])
        if got not in expected:
            wrong.append(f"{name}: {got} instead of {expected}")
    assert not wrong, "\n".join(wrong)


def _most(role: int, analyst: int) -> set[int]:
    """Of two answers the one that opens more; where both open something, either."""

    def closes(answer: int) -> int:
        return {404: 2, 403: 1}.get(answer, 0)

    least = min(closes(role), closes(analyst))
    return {answer for answer in (role, analyst) if closes(answer) == least}


def test_a_second_team_neither_opens_nor_closes_what_is_the_first_ones(
    cast: Cast, release: Release, signed_in: Callable[[User], Client]
) -> None:
    """Somebody steward here and administrator elsewhere, who has chosen to work elsewhere."""
    person = factories.make_person("in two teams", cast.team, Role.STEWARD)
    elsewhere = cast.outsider.memberships.get().team
    add_member(team=elsewhere, user=person, roles=[Role.ADMINISTRATOR], added_by=None)
    client = signed_in(person)
    client.post(reverse("accounts:switch-team"), {"team": str(elsewhere.id)})
    addresses = _addresses(release)
    wrong = []
    for name, line in TABLE.items():
        if line.about not in REACHED_BY_ID or name in ONLY_WHO_IS_NAMED:
            continue
        got = _answer(client, line, addresses[name])
        if got != line.steward:
            wrong.append(f"{name}: {got} instead of {line.steward}")
    assert not wrong, "\n".join(wrong)


def test_nobody_gets_in_without_signing_in(cast: Cast, release: Release) -> None:
    for name, address in _addresses(release).items():
        if name in OPEN_WITHOUT_SIGNING_IN:
            continue
        line = TABLE[name]
        answer = Client().get(address) if line.method == "GET" else Client().post(address)
        assert answer.status_code == 302, name
        assert answer["Location"].startswith(reverse("account_login")), name


def test_a_strange_id_is_not_found(cast: Cast, signed_in: Callable[[User], Client]) -> None:
    address = "/datasets/00000000-0000-4000-8000-000000000000/columns/"
    assert signed_in(cast.steward).get(address).status_code == 404
