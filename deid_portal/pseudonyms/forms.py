import re

from django import forms

from deid_portal.engine.release.pseudonyms import LENGTH

PSEUDONYM = re.compile(rf"[0-9a-f]{{{LENGTH}}}\Z")


class RotationForm(forms.Form):
    reason = forms.CharField(
        label="Why the key changes",
        max_length=300,
        help_text="Stands in the audit record, so name no person.",
        error_messages={"required": "Say why; it stands in the audit record."},
    )
    understood = forms.BooleanField(
        label="Releases from now on cannot be joined with earlier ones.",
        widget=forms.CheckboxInput(attrs={"class": "form-check-input"}),
        error_messages={"required": "Confirm that you want this."},
    )


class LookUpForm(forms.Form):
    pseudonym = forms.CharField(
        label="Pseudonym",
        max_length=LENGTH + 20,
        help_text=f"As it stands in the release: {LENGTH} digits and letters a to f.",
        widget=forms.TextInput(attrs={"class": "form-control mono", "autocomplete": "off"}),
        error_messages={"required": "Enter the pseudonym."},
    )
    reason = forms.CharField(
        label="Why you must know",
        max_length=1000,
        help_text="Kept encrypted with the record of this look-up; administrators can read it.",
        widget=forms.Textarea(attrs={"rows": 3, "class": "form-control"}),
        error_messages={"required": "Say why you must know who this is."},
    )

    def clean_pseudonym(self) -> str:
        """Refuse a text that is not a pseudonym: it may be a name and must not be recorded."""
        text: str = self.cleaned_data["pseudonym"].strip().lower()
        if not PSEUDONYM.match(text):
            raise forms.ValidationError(
                f"This is no pseudonym: one has {LENGTH} digits and letters a to f."
            )
        return text
