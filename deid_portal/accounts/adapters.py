"""The portal's customizations of allauth."""

from functools import partial
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from django.http import HttpRequest

from deid_portal.accounts.attempts import Secret, check_secret
from deid_portal.accounts.models import User
from deid_portal.accounts.sealed_factors import seal_secret, unseal_secret
from deid_portal.accounts.second_factor import ASKED
from deid_portal.accounts.selectors import find_account
from deid_portal.web.addresses import client_address


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": "Name and password do not fit together. "
        "Capital letters matter in the password, not in the name.",
        "enter_current_password": "This is not your current password. Enter it again.",
        "incorrect_password": "This is not your password. Enter it again.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Closed: accounts are created by invitation or by the administrator."""
        return False

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """Check a password, at sign-in and for reauthentication."""
        name = credentials["username"]
        account = find_account(name)
        if account is not None:
            credentials["username"] = account.username
        check = partial(super().authenticate, request, **credentials)
        found: User | None = check_secret(request, Secret.PASSWORD, name, account, check)
        return found

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request) or str(super().get_client_ip(request))

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, str]]:
        """Return the ways of reauthentication; see `confirm_second_factor`."""
        ways: list[dict[str, str]] = super().get_reauthentication_methods(user)
        factors = [way for way in ways if way["id"] != "reauthenticate"]
        return factors if factors and context.request.session.get(ASKED) else ways


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Encrypts the secrets of authenticator apps in the database."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "This code is not right, or its half minute is over. Enter the next one.",
    }

    def encrypt(self, text: str) -> str:
        return seal_secret(text)

    def decrypt(self, encrypted_text: str) -> str:
        return unseal_secret(encrypted_text)

    def _get_site_name(self) -> str:
        return "De-identification portal"
