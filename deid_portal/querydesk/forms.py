"""Amounts in forms, asking for more, and deciding on that."""

from decimal import Decimal
from typing import Any

from django import forms

from deid_portal.querydesk.amounts import MOST_EPSILON, micro_of


class EpsilonField(forms.DecimalField):
    """An amount of ε, kept in whole millionths."""

    def __init__(self, *, label: str, help_text: str = "", required: bool = True) -> None:
        super().__init__(
            label=label,
            help_text=help_text,
            required=required,
            min_value=Decimal("0.0001"),
            max_value=Decimal(MOST_EPSILON),
            decimal_places=6,
            error_messages={
                "required": "Say how much, for example 5.",
                "invalid": "A number is needed, for example 0.5.",
                "min_value": "Choose 0.0001 or more.",
                "max_value": f"Choose {MOST_EPSILON:,} or less; more would protect nobody.",
            },
        )


class DeltaField(forms.FloatField):
    def __init__(self, *, label: str, help_text: str) -> None:
        super().__init__(
            label=label,
            help_text=help_text,
            required=False,
            min_value=1e-15,
            max_value=0.01,
            widget=forms.TextInput(attrs={"class": "form-control", "inputmode": "decimal"}),
            error_messages={
                "invalid": "A small number is needed, for example 1e-6.",
                "min_value": "Choose 1e-15 or more, or leave it empty.",
                "max_value": "Choose 0.01 or less; far below one over the number of people.",
            },
        )


class WishForm(forms.Form):
    amount = EpsilonField(label="How much more ε do you need?")
    reason = forms.CharField(
        label="What for?",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3, "class": "form-control"}),
        help_text="Name the questions you still want to ask and how exact they must be.",
        error_messages={"required": "Say what you need it for; the approver decides on that."},
    )


class BudgetDecisionForm(forms.Form):
    verdict = forms.ChoiceField(
        label="Your decision",
        choices=[("grant", "Grant"), ("decline", "Decline")],
        widget=forms.RadioSelect,
        error_messages={"required": "Choose one of the two."},
    )
    amount = EpsilonField(label="ε to grant", required=False)
    answer = forms.CharField(
        label="Reason",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3, "class": "form-control"}),
        help_text="The person who asked reads it.",
        error_messages={"required": "Write a reason; the person who asked reads it."},
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        is_empty = not cleaned.get("amount") and "amount" not in self.errors
        if cleaned.get("verdict") == "grant" and is_empty:
            self.add_error("amount", "Say how much you grant.")
        return cleaned

    @property
    def micro(self) -> int:
        granted = self.cleaned_data["verdict"] == "grant"
        return micro_of(self.cleaned_data["amount"]) if granted else 0
