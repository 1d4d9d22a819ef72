from collections.abc import Iterable
from typing import Any

from django import forms

from deid_portal.sources.policies import allowed_servers
from deid_portal.sources.postgresql import Address, Encryption, TableName, TableOrQuery

ENCRYPTIONS = [
    (Encryption.CHECKED.value, "Encrypted, certificate checked"),
    (Encryption.ENCRYPTED.value, "Encrypted"),
    (Encryption.NONE.value, "Not encrypted"),
]
LONGEST_QUERY = 20_000


def _password_field() -> forms.CharField:
    return forms.CharField(
        label="Password",
        max_length=500,
        strip=False,
        help_text="Kept encrypted and never shown again.",
        # The browser must not keep it either.
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Give the password of this user."},
    )


class ConnectionForm(forms.Form):
    server = forms.ChoiceField(
        label="Server", help_text="The administrator of the portal decides which are on this list."
    )
    database = forms.CharField(label="Database", max_length=63)
    user = forms.CharField(
        label="User",
        max_length=63,
        help_text="Best one that may only read the tables you need.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    password = _password_field()
    encryption = forms.ChoiceField(
        label="Connection",
        choices=ENCRYPTIONS,
        initial=Encryption.ENCRYPTED.value,
        help_text="Not encrypted: only on this machine or in a closed network.",
    )
    name = forms.CharField(
        label="What the team calls it",
        max_length=120,
        required=False,
        help_text="Without a name, it is called like its database.",
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        server = self.fields["server"]
        assert isinstance(server, forms.ChoiceField)  # noqa: S101 -- for the type checker
        server.choices = [(str(allowed), str(allowed)) for allowed in allowed_servers()]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if not cleaned.get("name"):
            cleaned["name"] = cleaned.get("database", "")
        return cleaned

    def to_address(self) -> Address:
        chosen = self.cleaned_data
        server = next(s for s in allowed_servers() if str(s) == chosen["server"])
        return Address(
            server.host,
            server.port,
            chosen["database"],
            chosen["user"],
            chosen["password"],
            Encryption(chosen["encryption"]),
        )


class PasswordForm(forms.Form):
    password = _password_field()


class QuestionForm(forms.Form):
    """A table from the list, or a query; the query comes first."""

    table = forms.ChoiceField(label="Table or view", required=False)
    query = forms.CharField(
        label="Query",
        max_length=LONGEST_QUERY,
        required=False,
        help_text="One SELECT. It is kept encrypted; only stewards of the team can read it.",
        widget=forms.Textarea(
            attrs={"rows": 8, "spellcheck": "false", "class": "form-control paste-box"}
        ),
    )
    name = forms.CharField(
        label="Name of the dataset",
        max_length=120,
        required=False,
        help_text="Without one, the dataset is called like its table.",
    )

    def __init__(self, data: Any = None, *, tables: Iterable[TableName], **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        table = self.fields["table"]
        assert isinstance(table, forms.ChoiceField)  # noqa: S101 -- for the type checker
        table.choices = [("", "Choose one"), *((t.written, _with_rows(t)) for t in tables)]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if not self.errors and not (cleaned.get("table") or cleaned.get("query")):
            self.add_error("table", "Choose a table, or write a query.")
        if not cleaned.get("name"):
            is_query = bool(cleaned.get("query"))
            cleaned["name"] = "Query result" if is_query else _bare_name(cleaned.get("table", ""))
        return cleaned

    def to_question(self) -> TableOrQuery:
        if self.cleaned_data["query"]:
            return TableOrQuery(query=self.cleaned_data["query"])
        return TableOrQuery(table=self.cleaned_data["table"])


def _with_rows(table: TableName) -> str:
    return table.written if table.rows is None else f"{table.written} · about {table.rows:,} rows"


def _bare_name(table: str) -> str:
    """Return the name without its schema and quotes: patients for hospital."patients"."""
    return table.partition(".")[2].strip('"')[:120] or "Table"
