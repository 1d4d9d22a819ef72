"""The four roles of columns, with the words and keys of the tagging page."""

from dataclasses import dataclass

from deid_portal.datasets.models import ColumnRoleChoices

UNDECIDED = "Not decided yet. A column without a role is never released."


@dataclass(frozen=True)
class RoleChoice:
    value: str
    label: str
    short: str  # the word shown in a row
    rest: str  # the rest of the label, for screen readers
    key: str
    icon: str
    meaning: str

    @property
    def is_noun(self) -> bool:
        """Whether the plural adds an s: two identifiers, but two sensitive columns."""
        return self.value in (ColumnRoleChoices.IDENTIFIER, ColumnRoleChoices.QUASI_IDENTIFIER)


ROLE_CHOICES = [
    RoleChoice(
        ColumnRoleChoices.IDENTIFIER.value,
        ColumnRoleChoices.IDENTIFIER.label,
        "Identifier",
        "",
        "i",
        "fingerprint",
        "It points to one person by itself: a name, an e-mail address, a number. It never leaves "
        "as it is; it is removed or replaced by a pseudonym.",
    ),
    RoleChoice(
        ColumnRoleChoices.QUASI_IDENTIFIER.value,
        ColumnRoleChoices.QUASI_IDENTIFIER.label,
        "Quasi",
        "-identifier",
        "q",
        "puzzle",
        "It names nobody, but somebody else may know it, and together with other columns it can "
        "point to one person. It stays in the release, made coarser along its taxonomy.",
    ),
    RoleChoice(
        ColumnRoleChoices.SENSITIVE.value,
        ColumnRoleChoices.SENSITIVE.label,
        "Sensitive",
        "",
        "s",
        "heart-rate-monitor",
        "It would harm a person if somebody learned it: a diagnosis, an income. It stays exact; "
        "the protection limits how well it can be guessed.",
    ),
    RoleChoice(
        ColumnRoleChoices.INSENSITIVE.value,
        ColumnRoleChoices.INSENSITIVE.label,
        "Harmless",
        "",
        "h",
        "circle",
        "Nobody else knows it and nobody is harmed by it. It is released as it is.",
    ),
]

_BY_VALUE = {choice.value: choice for choice in ROLE_CHOICES}


def find_role(value: str) -> RoleChoice | None:
    """Return the role a column was given, or None while it is undecided."""
    return _BY_VALUE.get(value)
