"""The chosen part of a plan as text."""

import json
from typing import Any

from django import forms

from deid_portal.plans.composition import ProtectionChoice


class DocumentForm(forms.Form):
    """The chosen part of the plan as JSON; the engine's validator judges it."""

    document = forms.CharField(
        label="Rules, method and measures",
        widget=forms.Textarea(
            attrs={"rows": 24, "spellcheck": "false", "class": "form-control mono"}
        ),
        strip=False,
        error_messages={"required": "Write the rules and the method as JSON."},
    )

    def clean_document(self) -> ProtectionChoice:
        try:
            document = json.loads(self.cleaned_data["document"])
        except (ValueError, RecursionError):
            raise forms.ValidationError("This is not valid JSON.") from None
        if not isinstance(document, dict) or not {"method"} <= set(document):
            raise forms.ValidationError('An object with "models" and "method" is needed.')
        unknown = set(document) - {"models", "method", "measures", "weights", "seed"}
        if unknown:
            raise forms.ValidationError(
                "Only models, method, measures, weights and a seed are chosen here; the columns "
                "come from the steps before."
            )
        return ProtectionChoice(
            document.get("models", []),
            document["method"],
            document.get("measures") or {},
            _read_weights(document.get("weights")),
            document.get("seed"),
        )

    def to_choice(self) -> ProtectionChoice:
        choice: ProtectionChoice = self.cleaned_data["document"]
        return choice

    @staticmethod
    def initial_from(choice: ProtectionChoice) -> dict[str, str]:
        return {"document": json.dumps(choice.to_document(), indent=2, ensure_ascii=False)}


def _read_weights(weights: Any) -> dict[str, float]:
    """Check that weights are numbers by column; the engine checks their range."""
    if weights is None:
        return {}
    if not isinstance(weights, dict):
        raise forms.ValidationError('"weights" needs a number per quasi-identifier.')
    return {name: weight for name, weight in weights.items() if weight != 1}
