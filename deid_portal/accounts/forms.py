from typing import Any

from allauth.account.forms import LoginForm
from django import forms
from django.contrib.auth.password_validation import validate_password

from deid_portal.accounts.models import Role, User
from deid_portal.common.widgets import Boxes


class SignInForm(LoginForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = "Name"
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)
            field.help_text = ""


class RolesForm(forms.Form):
    roles = forms.MultipleChoiceField(
        label="Roles",
        choices=Role.choices,
        required=False,
        widget=Boxes,
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

    username = forms.CharField(
        label="Name to sign in with",
        max_length=150,
        validators=[User.username_validator],
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
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
        if User.objects.filter(username__iexact=username).exists():
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
