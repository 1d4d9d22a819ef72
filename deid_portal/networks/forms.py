from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

from django import forms

from deid_portal.datasets.models import Dataset
from deid_portal.datasets.sealed_upload import SealedUpload
from deid_portal.networks.selectors import FirstLines

DIRECTIONS = [
    ("no", "Both ways: friends, colleagues, calls between two"),
    ("yes", "One way: follows, cites, pays"),
]


class UploadNetworkForm(forms.Form):
    next_of = forms.ChoiceField(
        label="What is it?",
        required=False,
        error_messages={"invalid_choice": "This network cannot be continued now. Choose another."},
        help_text="A next version takes over the name, which way links go, roles, taxonomies and "
        "the plan.",
        widget=forms.Select(attrs={"class": "form-select"}),
    )
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
        offered: Iterable[Dataset] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.links, self.nodes, self.refused = links, nodes, refused
        self.offered = {str(dataset.id): dataset for dataset in offered}
        field = self.fields["next_of"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 -- for the type checker
        field.choices = [("", "A new network"), *map(_offer, self.offered.values())]
        if not self.offered and not self.data.get("next_of"):
            field.widget = forms.HiddenInput()

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
    def chosen(self) -> Dataset | None:
        """The network of which this is the next version; None for a new one."""
        return self.offered.get(self.cleaned_data["next_of"])

    @property
    def is_directed(self) -> bool:
        return bool(self.cleaned_data["directed"] == "yes")


def _offer(dataset: Dataset) -> tuple[str, str]:
    return str(dataset.id), f"Next version of “{dataset.name}”, after {dataset.version_number}"


class ReadAgainForm(forms.Form):
    """How the files are read; `first_lines` are those of the file of links, None for GraphML."""

    has_header = forms.ChoiceField(
        label="Is the first line a header?",
        choices=[("yes", "Yes, it names the columns"), ("no", "No, it is a link as the others")],
        widget=forms.RadioSelect,
    )
    directed = forms.ChoiceField(
        label="Which way do links go?", choices=DIRECTIONS, widget=forms.RadioSelect
    )
    id_column = forms.CharField(
        label="Column with the ids in the node table",
        max_length=300,
        required=False,
        help_text="Its first column if empty.",
    )

    def __init__(
        self, data: Any = None, *, dataset: Dataset, first_lines: FirstLines | None
    ) -> None:
        network = dataset.network
        initial = {
            "directed": "yes" if network.is_directed else "no",
            "id_column": network.id_column,
            "has_header": "yes" if first_lines and first_lines.has_header else "no",
        }
        super().__init__(data, initial=initial)
        self.fields["id_column"].widget.attrs["class"] = "form-control"
        if not network.has_node_table:
            del self.fields["id_column"]
        if first_lines is None:
            del self.fields["has_header"]

    @property
    def says_header(self) -> bool | None:
        said = self.cleaned_data.get("has_header")
        return None if said is None else bool(said == "yes")


class KnowledgeForm(forms.Form):
    """Background knowledge, and k."""

    knowledge = forms.CharField()
    k = forms.IntegerField(
        label="Among how many look-alikes shall everybody hide?",
        min_value=2,
        max_value=1_000_000,
        widget=forms.NumberInput(attrs={"class": "form-control", "inputmode": "numeric"}),
    )
    method = forms.CharField()
