from collections.abc import Callable
from functools import partial
from typing import Any

from allauth.account.forms import ChangePasswordForm, LoginForm
from allauth.core import context
from allauth.mfa import app_settings as factor_settings
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.webauthn.forms import (
    AuthenticateWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from django import forms
from django.contrib.auth.forms import UsernameField
from django.contrib.auth.password_validation import validate_password

from deid_portal.accounts.attempts import (
    Secret,
    check_passkey,
    check_secret,
    claim_code,
    count_wrong,
)
from deid_portal.accounts.models import Role, User
from deid_portal.accounts.selectors import find_account
from deid_portal.web.widgets import CheckboxGroup


class SignInForm(LoginForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = "Name"
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)
            field.help_text = ""


class NewPasswordForm(ChangePasswordForm):  # type: ignore[misc]
    def clean_oldpassword(self) -> str:
        return check_own(Secret.PASSWORD, self.user, super().clean_oldpassword)


class CountedCode:
    """Counts wrong codes, and accepts a code of an app only once, in all processes.

    allauth remembers used codes in the memory of one process, and not for as long as they are
    valid.
    """

    user: User
    authenticator: Authenticator

    def clean_code(self) -> str:
        return check_own(Secret.CODE, self.user, partial(self._use, super().clean_code))  # type: ignore[misc]

    def _use(self, check: Callable[[], str]) -> str:
        code = check()
        if self.authenticator.type != Authenticator.Type.TOTP:
            return code  # the database marks recovery codes as used
        steps = 2 * factor_settings.TOTP_TOLERANCE + 1
        digits = "".join(filter(str.isdigit, code))  # spaces between them do not matter
        if not claim_code(self.user, digits, factor_settings.TOTP_PERIOD * steps):
            raise get_adapter().validation_error("incorrect_code")
        return code


class SignInCodeForm(CountedCode, AuthenticateForm):  # type: ignore[misc]
    pass


class ConfirmCodeForm(CountedCode, ReauthenticateForm):  # type: ignore[misc]
    pass


class NewAppForm(ActivateTOTPForm):  # type: ignore[misc]
    def clean_code(self) -> str:
        return check_own(Secret.CODE, self.user, super().clean_code)


class CountedPasskey:
    user: User | None

    def clean_credential(self) -> Authenticator:
        return check_passkey(context.request, self.user, super().clean_credential)  # type: ignore[misc]


class SignInPasskeyForm(CountedPasskey, LoginWebAuthnForm):  # type: ignore[misc]
    """Sign-in by passkey, which also names the account; the name is not trusted yet."""


class SecondFactorPasskeyForm(CountedPasskey, AuthenticateWebAuthnForm):  # type: ignore[misc]
    pass


class ConfirmPasskeyForm(CountedPasskey, ReauthenticateWebAuthnForm):  # type: ignore[misc]
    pass


def check_own(secret: Secret, user: User, check: Callable[[], str]) -> str:
    return check_secret(context.request, secret, user.username, user, check)


class RolesForm(forms.Form):
    roles = forms.MultipleChoiceField(
        label="Roles",
        choices=Role.choices,
        required=False,
        widget=CheckboxGroup,
    )

    def chosen(self) -> list[Role]:
        return [Role(role) for role in self.cleaned_data["roles"]]


class InvitationForm(RolesForm):
    email = forms.EmailField(
        label="E-mail address",
        required=False,
        help_text="Where the portal sends e-mail, the link goes there; else hand it over yourself.",
    )
    field_order = ["email", "roles"]

    def clean_roles(self) -> list[str]:
        roles: list[str] = self.cleaned_data["roles"]
        if not roles:
            raise forms.ValidationError(
                "Choose at least one role; somebody without one sees nothing."
            )
        return roles


class JoinForm(forms.Form):
    """An account for somebody who was invited."""

    username = UsernameField(
        label="Name to sign in with",
        max_length=150,
        validators=[User.username_validator],
    )
    full_name = forms.CharField(
        label="Your full name",
        max_length=150,
        help_text="Shown to colleagues beside what you did.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    password = forms.CharField(
        label="Password",
        help_text="At least 12 characters.",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean_username(self) -> str:
        username: str = self.cleaned_data["username"]
        if find_account(username):
            # Reveals that the account exists, so it is counted like a wrong attempt.
            count_wrong(context.request, Secret.INVITATION)
            raise forms.ValidationError("This name is taken. Choose another one.")
        return username

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "password" in cleaned:
            person = User(
                username=cleaned.get("username", ""), first_name=cleaned.get("full_name", "")
            )
            try:
                validate_password(cleaned["password"], person)
            except forms.ValidationError as error:
                self.add_error("password", error)
        return cleaned
