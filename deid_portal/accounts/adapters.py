"""What the portal does differently from allauth's usual ways."""

import base64
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from django.http import HttpRequest

from deid_portal.accounts.second_factor import ASKED
from deid_portal.common.sealing import seal, unseal


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": "Name and password do not fit together. "
        "Capital letters matter in both.",
        "too_many_login_attempts": "Too many attempts. Wait a few minutes and try again.",
        "enter_current_password": "This is not your current password. Enter it again.",
        "incorrect_password": "This is not your password. Enter it again.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Accounts are made by invitation (accounts/invitations.py) or by the administrator."""
        return False

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, str]]:
        """Say how somebody can show that it is still them; see `confirm_second_factor`."""
        ways: list[dict[str, str]] = super().get_reauthentication_methods(user)
        factors = [way for way in ways if way["id"] != "reauthenticate"]
        return factors if factors and context.request.session.get(ASKED) else ways


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Secrets of authenticator apps lie sealed in the database, as everything confidential does."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "This code is not right, or its half minute is over. Enter the next one.",
    }

    def encrypt(self, text: str) -> str:
        return base64.b64encode(seal(text.encode())).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return unseal(base64.b64decode(encrypted_text)).decode()

    def _get_site_name(self) -> str:
        return "De-identification portal"
