from django import forms

from deid_portal.reviews.models import Decision


class AskForm(forms.Form):
    purpose = forms.CharField(
        label="Who gets it, and what for?",
        max_length=200,
        error_messages={"required": "Say who gets the release and what for."},
    )


class DecisionForm(forms.Form):
    verdict = forms.ChoiceField(
        label="Your decision",
        choices=Decision.Verdict.choices,
        error_messages={"required": "Choose to approve or to ask for changes."},
    )
    reason = forms.CharField(
        label="Reason",
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    # The four fingerprints the page showed; the decision counts only for exactly these.
    input = forms.CharField(widget=forms.HiddenInput)
    plan = forms.CharField(widget=forms.HiddenInput)
    engine = forms.CharField(widget=forms.HiddenInput)
    output = forms.CharField(widget=forms.HiddenInput)

    def clean(self) -> dict[str, object]:
        cleaned = super().clean() or {}
        if cleaned.get("verdict") == Decision.Verdict.ASK_FOR_CHANGES and not cleaned.get("reason"):
            self.add_error("reason", "Say what should change; the reason is kept with the request.")
        return cleaned

    @property
    def seen(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in ("input", "plan", "engine", "output")}


class CommentForm(forms.Form):
    text = forms.CharField(
        label="Comment",
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": "Write something first."},
    )
