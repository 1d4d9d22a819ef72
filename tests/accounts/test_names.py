"""One name, one account: however it is spelled, and whichever database keeps it."""

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.accounts.selectors import find_account
from tests import factories
from tests.accounts.test_invite import NEW_PERSON, open_invitation
from tests.conftest import Cast
from tests.pages import Reader


@pytest.mark.parametrize("name", ["Ünal", "ünal", "ÜNAL", "u\u0308nal", " ünal "])
def test_an_account_is_found_by_any_spelling(db: None, name: str) -> None:
    assert find_account(name) is None
    made = factories.make_person("Ünal")
    assert find_account(name) == made


@pytest.mark.parametrize("name", ["ünal", "U\u0308nal"])
def test_a_second_spelling_of_a_name_is_taken(cast: Cast, name: str) -> None:
    factories.make_person("Ünal")
    _, token = open_invitation(cast)
    there = reverse("accounts:join", args=[token])
    answer = Reader().post(there, NEW_PERSON | {"username": name})
    assert "This name is taken" in answer.content.decode()
    with pytest.raises(CommandError, match="already taken"):
        call_command("createsuperuser", "--noinput", "--username", name, "--email", "")
    with pytest.raises(IntegrityError), transaction.atomic():
        factories.make_person(name)


def test_a_new_name_is_found_and_the_old_one_no_more(db: None) -> None:
    person = factories.make_person("ada")
    person.username = "Grace"
    person.save(update_fields=["username"])
    assert (find_account("grace"), find_account("ada")) == (person, None)


def test_a_role_is_given_by_any_spelling(db: None) -> None:
    person = factories.make_person("Ünal")
    call_command("member", "ünal", "--team", "Registry", "--role", "steward")
    assert person.memberships.get().role == "steward"


def test_two_accounts_of_before_whose_names_differ_in_case_can_both_sign_in(
    client: Client, db: None
) -> None:
    """Before, neither could."""
    first = factories.make_person("anna")
    second = User(username="Anna", folded_username="anna#2", password=first.password)
    User.objects.bulk_create([second])
    for name in ("anna", "Anna"):
        client.post(reverse("account_login"), {"login": name, "password": "password of anna"})
        assert client.session["_auth_user_id"] == str(User.objects.get(username=name).pk)
        client.logout()
