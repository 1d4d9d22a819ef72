from typing import Any

from django import forms

from deid_portal.datasets.models import ColumnRole, Dataset

METRICS = [
    ("loss", "Detail lost (loss)"),
    ("precision", "Precision"),
    ("iloss", "ILoss"),
    ("entropy", "Non-uniform entropy"),
    ("discernibility", "Discernibility"),
    ("average_class_size", "Average group size"),
]


class ProtectionForm(forms.Form):
    """The four plain answers of this step; sensitive columns add one field each."""

    k = forms.IntegerField(
        label="Among how many look-alikes must every person hide?",
        min_value=2,
        max_value=1_000_000,
        initial=5,
        help_text=(
            "k-anonymity. Five is usual; for files anyone may download, 11 is a common choice."
        ),
        error_messages={
            "min_value": "k must be 2 or more: hiding among one is not hiding.",
            "invalid": "k must be a whole number.",
            "required": "Say among how many people everyone must hide.",
        },
    )
    suppression_percent = forms.FloatField(
        label="How many people may be left out to keep the rest detailed?",
        min_value=0,
        max_value=100,
        initial=5,
        help_text="In percent of the rows. Leaving out rare people lets everybody else stay finer.",
        error_messages={
            "min_value": "The share must lie between 0 and 100 percent.",
            "max_value": "The share must lie between 0 and 100 percent.",
        },
    )
    metric = forms.ChoiceField(
        label="What should the search keep small?",
        choices=METRICS,
        initial="loss",
        help_text=(
            "Detail lost is the share of each column's detail that disappears; it suits most uses."
        ),
    )

    def __init__(self, *args: Any, dataset: Dataset, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rows = dataset.rows
        self.sensitive = list(dataset.columns.filter(role=ColumnRole.SENSITIVE))
        for column in self.sensitive:
            self.fields[self._name(column.position)] = forms.IntegerField(
                label=f"How many different values of {column.name} must every group hold?",
                min_value=2,
                required=False,
                max_value=max(column.distinct, 2),
                help_text=(
                    "Distinct l-diversity. Leave it empty to make no promise. "
                    f"{column.name} has {column.distinct:,} different values; a missing one "
                    "counts as a value too."
                ),
                error_messages={
                    "min_value": "l must be 2 or more; leave it empty to make no promise.",
                    "max_value": (
                        # Django fills its own %-signs into this sentence.
                        f"{column.name.replace('%', '%%')} has only {column.distinct:,} different "
                        "values, so no group can hold more."
                    ),
                    "invalid": "l must be a whole number.",
                },
            )

    def clean_k(self) -> int:
        k: int = self.cleaned_data["k"]
        if k > self.rows:
            raise forms.ValidationError(
                f"The table has only {self.rows:,} rows, so nobody can hide among more. "
                f"Choose a number from 2 to {self.rows:,}."
            )
        return k

    @staticmethod
    def _name(position: int) -> str:
        return f"l_{position}"

    @property
    def diversity_fields(self) -> list[forms.BoundField]:
        return [self[self._name(column.position)] for column in self.sensitive]

    def to_rules(self) -> list[dict[str, Any]]:
        rules: list[dict[str, Any]] = [{"model": "k-anonymity", "k": self.cleaned_data["k"]}]
        for column in self.sensitive:
            l_asked = self.cleaned_data[self._name(column.position)]
            if l_asked:
                rules.append(
                    {
                        "model": "l-diversity",
                        "variant": "distinct",
                        "l": l_asked,
                        "column": column.name,
                    }
                )
        return rules

    def to_method(self) -> dict[str, Any]:
        return {
            "name": "full-domain",
            # Percent typed by people: 0.1 + 0.2 must not become 0.30000000000000004.
            "suppression_limit": round(self.cleaned_data["suppression_percent"] / 100, 10),
            "metric": self.cleaned_data["metric"],
        }

    @classmethod
    def initial_from(
        cls, dataset: Dataset, rules: list[dict[str, Any]], method: dict[str, Any]
    ) -> dict[str, Any]:
        initial = {
            "suppression_percent": f"{100 * method.get('suppression_limit', 0.05):g}",
            "metric": method.get("metric", "loss"),
        }
        positions = {column.name: column.position for column in dataset.columns.all()}
        for rule in rules:
            if rule["model"] == "k-anonymity":
                initial["k"] = rule["k"]
            elif rule["model"] == "l-diversity" and rule["column"] in positions:
                initial[cls._name(positions[rule["column"]])] = rule["l"]
        return initial
