from typing import Any

from django import forms
from django.core.validators import MaxValueValidator
from django.db.models import QuerySet

from deid_portal.accounts.models import User
from deid_portal.releases.grants import GrantTerms
from deid_portal.releases.models import Grant, Release
from deid_portal.releases.services import is_name_of


class TermsForm(forms.Form):
    """Days and number of downloads, within the limits of the policy."""

    days = forms.IntegerField(label="Days from today", min_value=1)
    times = forms.IntegerField(label="Downloads in all", min_value=1)

    def __init__(self, data: Any = None, *, most: GrantTerms, grant: Grant | None = None) -> None:
        taken = grant.allowed if grant else most.times
        initial = {"days": most.days, "times": min(taken, most.times)}
        super().__init__(data, initial=initial)
        for name, limit in (("days", most.days), ("times", most.times)):
            field = self.fields[name]
            assert isinstance(field, forms.IntegerField)  # noqa: S101 - for the types
            field.max_value = limit
            words = f"Your policy allows at most {limit:,}."
            field.validators.append(MaxValueValidator(limit, message=words))
            field.widget.attrs |= {"max": limit}
            field.help_text = f"at most {limit:,}, says your policy"

    @property
    def terms(self) -> GrantTerms:
        return GrantTerms(self.cleaned_data["days"], self.cleaned_data["times"])


class DownloaderField(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Any) -> str:
        return str(obj.display_name)


class NamePersonForm(TermsForm):
    person = DownloaderField(
        label="Person",
        queryset=User.objects.none(),
        empty_label="Choose a member of the team",
        error_messages={
            "required": "Choose who may download.",
            "invalid_choice": "Choose a member of the team who is not named yet.",
        },
    )
    field_order = ["person", "days", "times"]

    def __init__(self, data: Any = None, *, people: QuerySet[User], most: GrantTerms) -> None:
        super().__init__(data, most=most)
        person = self.fields["person"]
        assert isinstance(person, DownloaderField)  # noqa: S101 - for the types
        person.queryset = people


class WithdrawForm(forms.Form):
    reason = forms.CharField(
        label="Why is it withdrawn?",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": "Say why; everybody named reads it."},
    )
    typed = forms.CharField(
        label="Type the name of the release to confirm",
        max_length=300,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Type the name of the release."},
    )

    def __init__(self, data: Any = None, *, release: Release) -> None:
        super().__init__(data)
        self.release = release
        self.fields["typed"].help_text = f"Its name is: {release}"

    def clean_typed(self) -> str:
        typed: str = self.cleaned_data["typed"]
        if not is_name_of(typed, self.release):
            raise forms.ValidationError(f"Type exactly this: {self.release}")
        return typed
