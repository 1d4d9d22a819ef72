from pathlib import PurePath
from typing import Any

from django import forms

from deid_portal.datasets.models import Dataset
from deid_portal.datasets.uploading import SealedUpload

DIRECTIONS = [
    ("no", "Both ways: friends, colleagues, calls between two"),
    ("yes", "One way: follows, cites, pays"),
]


class UploadNetworkForm(forms.Form):
    name = forms.CharField(
        label="Name of the network",
        max_length=120,
        required=False,
        help_text="The file’s if empty.",
    )
    directed = forms.ChoiceField(
        label="Which way do links go?", choices=DIRECTIONS, widget=forms.RadioSelect, initial="no"
    )

    def __init__(
        self,
        *args: Any,
        links: SealedUpload | None = None,
        nodes: SealedUpload | None = None,
        refused: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.links, self.nodes, self.refused = links, nodes, refused

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if self.refused:
            raise forms.ValidationError(self.refused)
        if self.links is None:
            raise forms.ValidationError("Choose a file with the links, one per line.")
        if not cleaned.get("name"):
            cleaned["name"] = PurePath(self.links.name or "").stem[:120] or "Network"
        return cleaned

    @property
    def is_directed(self) -> bool:
        return bool(self.cleaned_data["directed"] == "yes")


class ReadAgainForm(forms.Form):
    directed = forms.ChoiceField(
        label="Which way do links go?", choices=DIRECTIONS, widget=forms.RadioSelect
    )
    id_column = forms.CharField(
        label="Column with the ids in the node table",
        max_length=300,
        required=False,
        help_text="Its first column if empty.",
    )

    def __init__(self, data: Any = None, *, dataset: Dataset) -> None:
        network = dataset.network
        initial = {
            "directed": "yes" if network.is_directed else "no",
            "id_column": network.id_column,
        }
        super().__init__(data, initial=initial)
        self.fields["id_column"].widget.attrs["class"] = "form-control"
        if not network.has_node_table:
            del self.fields["id_column"]


class KnowledgeForm(forms.Form):
    """What somebody may know, and among how many everybody shall hide."""

    knowledge = forms.CharField()
    k = forms.IntegerField(
        label="Among how many look-alikes shall everybody hide?",
        min_value=2,
        max_value=1_000_000,
        widget=forms.NumberInput(attrs={"class": "form-control", "inputmode": "numeric"}),
    )
    method = forms.CharField()
