from itertools import groupby
from typing import Any
from uuid import UUID

from django import forms

from deid_portal.audit_trail.event_words import kind_words, sentence_of
from deid_portal.audit_trail.selectors import (
    BY_THE_PORTAL,
    AuditSearch,
    actions_in,
    actors_in,
    events_of_team,
    kinds_in,
)

NOT_A_DAY = "This is no day; write it as 2026-11-30."


class SearchForm(forms.Form):
    """A search by query parameters, so that its address can be stored and shared."""

    words = forms.CharField(
        label="Words",
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search", "class": "form-control"}),
    )
    person = forms.ChoiceField(label="Who", required=False)
    action = forms.ChoiceField(label="What", required=False)
    kind = forms.ChoiceField(label="About", required=False)
    since = forms.DateField(
        label="From",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        error_messages={"invalid": NOT_A_DAY},
    )
    until = forms.DateField(
        label="Until",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        error_messages={"invalid": NOT_A_DAY},
    )
    object = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)

    def __init__(self, data: Any, *, team_id: UUID) -> None:
        super().__init__(data)
        events = events_of_team(team_id)
        people = [(str(one.pk), one.display_name) for one in actors_in(events)]
        self._offer("person", "everybody", [*people, (BY_THE_PORTAL, "the portal")])
        self._offer("action", "everything", _by_subject(actions_in(events)))
        kinds = sorted((kind_words(kind), kind) for kind in kinds_in(events))
        self._offer("kind", "anything", [(kind, words) for words, kind in kinds])

    def _offer(self, name: str, nothing: str, choices: list[Any]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - for the types
        field.choices = [("", nothing), *choices]
        field.error_messages["invalid_choice"] = "Nothing of this is on record; choose another."

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        since, until = cleaned.get("since"), cleaned.get("until")
        if since and until and since > until:
            self.add_error("until", "The last day comes before the first.")
        return cleaned

    def to_wanted(self) -> AuditSearch:
        return AuditSearch(**self.cleaned_data)


def _by_subject(actions: list[str]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Group actions such as review.asked and review.voted by their subject."""
    groups = groupby(actions, key=lambda action: action.partition(".")[0])
    return [
        (
            name.replace("_", " ").capitalize(),
            sorted(((action, sentence_of(action)) for action in members), key=lambda own: own[1]),
        )
        for name, members in groups
    ]
