"""Who is told what, on the page and by e-mail."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.mail import EmailMessage
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from deid_portal.accounts.models import User
from deid_portal.notices.emails import MOST_TRIES, due_notices, mail
from deid_portal.notices.models import Notice
from deid_portal.notices.services import choose_mails, tell
from tests.conftest import Cast

SignIn = Callable[[User], Client]


@pytest.fixture
def mailing(settings: Settings, cast: Cast) -> None:
    settings.MAIL_IS_CONFIGURED = True
    settings.PORTAL_URL = "https://portal.example.org/"
    for person in (cast.steward, cast.teammate):
        person.email = f"{person.username}@example.org"
        person.save()


def _tell(cast: Cast, *people: User, asks: bool = False, but: User | None = None) -> list[Notice]:
    words = "Run 14 of Adult census has finished."
    tell(people, words, kind="run.finished", url="/runs/14/", team=cast.team, asks=asks, but=but)
    return list(Notice.objects.order_by("person__username"))


def _refuse(message: EmailMessage) -> None:
    raise ConnectionRefusedError


def test_everybody_is_told_once_but_not_who_did_it(cast: Cast) -> None:
    told = _tell(cast, cast.steward, cast.teammate, cast.teammate, but=cast.steward)
    assert [notice.person for notice in told] == [cast.teammate]


def test_somebody_whose_account_is_closed_is_not_told(cast: Cast) -> None:
    cast.teammate.is_active = False
    assert _tell(cast, cast.teammate) == []


@pytest.mark.django_db(transaction=True)
def test_outside_a_transaction_there_is_nothing_to_tell_of(cast: Cast) -> None:
    with pytest.raises(transaction.TransactionManagementError):
        _tell(cast, cast.steward)


def test_the_bell_counts_and_opening_the_page_marks_as_read(cast: Cast, signed_in: SignIn) -> None:
    url = reverse("releases:list")
    tell([cast.analyst], "Something.", kind="release.created", url=url, team=cast.team)
    client = signed_in(cast.analyst)
    assert client.get("/").context["frame"].news_count == 1
    assert client.get(url).context["frame"].news_count == 0
    assert Notice.objects.get().is_read
    assert "Something." in client.get(reverse("notices:list")).content.decode()


def test_who_left_a_team_no_longer_reads_its_news(cast: Cast, signed_in: SignIn) -> None:
    _tell(cast, cast.steward)
    assert "Adult census" in signed_in(cast.steward).get(reverse("guide:bell")).content.decode()
    cast.steward.memberships.all().delete()
    page = signed_in(cast.steward).get(reverse("notices:list")).content.decode()
    assert "Adult census" not in page


def test_all_can_be_marked_as_read(cast: Cast, signed_in: SignIn) -> None:
    _tell(cast, cast.steward)
    _tell(cast, cast.teammate)
    signed_in(cast.steward).post(reverse("notices:read-all"))
    assert set(Notice.objects.filter(read_at=None)) == set(cast.teammate.notices.all())


@pytest.mark.usefixtures("mailing")
@pytest.mark.parametrize(
    ("by_mail", "asks", "is_mailed"),
    [
        ("all", False, True),
        ("all", True, True),
        ("asks", False, False),
        ("asks", True, True),
        ("nothing", True, False),
    ],
)
def test_who_gets_a_mail(cast: Cast, by_mail: str, asks: bool, is_mailed: bool) -> None:
    choose_mails(person=cast.steward, by_mail=by_mail)
    (notice,) = _tell(cast, cast.steward, asks=asks)
    assert notice.mail_due is is_mailed


def test_without_a_mail_server_nothing_is_mailed(cast: Cast) -> None:
    cast.steward.email = "steward@example.org"
    (notice,) = _tell(cast, cast.steward)
    assert not notice.mail_due


@pytest.mark.usefixtures("mailing")
def test_the_mail_says_what_and_where_and_nothing_else(
    cast: Cast, mailoutbox: list[EmailMessage]
) -> None:
    (notice,) = _tell(cast, cast.steward)
    assert mail(str(notice.id))
    assert not mail(str(notice.id))
    (sent,) = mailoutbox
    assert sent.to == ["steward@example.org"]
    assert sent.subject == "Run 14 of Adult census has finished."
    assert sent.body.splitlines() == [
        "Run 14 of Adult census has finished.",
        "",
        "https://portal.example.org/runs/14/",
        "",
        "Team: Population statistics. Choose what you get by e-mail:",
        "https://portal.example.org/notices/",
    ]


@pytest.mark.usefixtures("mailing")
def test_what_is_due_is_sent_once_without_a_worker(
    cast: Cast, mailoutbox: list[EmailMessage]
) -> None:
    _tell(cast, cast.steward, cast.teammate)
    for _ in range(2):
        call_command("send_mails", "--once")
    assert sorted(sent.to[0] for sent in mailoutbox) == [
        cast.steward.email,
        cast.teammate.email,
    ]


@pytest.mark.usefixtures("mailing")
def test_a_mail_server_that_is_away_breaks_nothing_and_is_tried_again(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, mailoutbox: list[EmailMessage]
) -> None:
    (notice,) = _tell(cast, cast.steward)
    with monkeypatch.context() as away:
        away.setattr(EmailMessage, "send", _refuse)
        assert not mail(str(notice.id))
    assert not due_notices().exists()
    Notice.objects.update(mail_tried_at=timezone.now() - timedelta(hours=1))
    assert mail(str(notice.id))
    assert len(mailoutbox) == 1


@pytest.mark.usefixtures("mailing")
def test_after_some_tries_a_mail_is_given_up(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    (notice,) = _tell(cast, cast.steward)
    monkeypatch.setattr(EmailMessage, "send", _refuse)
    Notice.objects.update(mail_tries=MOST_TRIES - 1)
    mail(str(notice.id))
    assert not Notice.objects.get().mail_due


@pytest.mark.usefixtures("mailing")
def test_a_person_chooses_what_comes_by_mail(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    client.post(reverse("notices:choose-mails"), {"by_mail": "asks"})
    page = client.get(reverse("notices:list")).content.decode()
    assert 'value="asks" checked' in page
    assert client.post(reverse("notices:choose-mails"), {"by_mail": "x"}).status_code == 400
