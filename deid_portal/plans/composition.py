"""Composing the plan document from columns, taxonomies and the chosen protection."""

from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.text import slugify

from deid_portal.datasets.models import ColumnRoleChoices, Dataset, DatasetColumn
from deid_portal.datasets.subjects import Subject
from deid_portal.engine import Plan
from deid_portal.engine.methods import METHODS
from deid_portal.engine.networks import NetworkPlan
from deid_portal.plans.models import Protection
from deid_portal.plans.populations import files_of_populations


@dataclass(frozen=True)
class ComposedPlan:
    """A plan document and the taxonomy files it names, by their name in the document."""

    document: dict[str, Any]
    files: dict[str, str]

    def to_plan(self) -> Plan:
        """Validate; raises InvalidPlan with the sentence to show."""
        return Plan.from_document(self.document, read_file=lambda name: self.files[name].encode())


@dataclass(frozen=True)
class ComposedNetworkPlan:
    """The same for a network."""

    document: dict[str, Any]
    files: dict[str, str]

    def to_plan(self) -> NetworkPlan:
        return NetworkPlan.from_document(
            self.document, read_file=lambda name: self.files[name].encode()
        )


AnyComposedPlan = ComposedPlan | ComposedNetworkPlan


@dataclass(frozen=True)
class ProtectionChoice:
    """The choice on the protection page, in plan format."""

    rules: list[dict[str, Any]]
    method: dict[str, Any] | list[dict[str, Any]]
    measures: dict[str, Any] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)  # of columns; 1 unless said
    seed: int | None = None

    @property
    def methods(self) -> list[dict[str, Any]]:
        return self.method if isinstance(self.method, list) else [self.method]

    def without_undoing_seed(self, subject: Subject) -> "ProtectionChoice":
        """Return the choice without a seed where chance protects people."""
        names = [str(method.get("name")) for method in self.methods]
        by_chance = any(n in METHODS and METHODS[n].protects_by_chance for n in names)
        undoes = by_chance or not subject.takes_seed
        return replace(self, seed=None) if undoes else self

    def to_document(self) -> dict[str, Any]:
        """Return the part of a plan that is chosen on the page, with the weights of columns."""
        document = self.to_plan_parts()
        if self.weights:
            document["weights"] = self.weights
        return document

    def to_plan_parts(self) -> dict[str, Any]:
        """Return the entries of the plan besides its columns."""
        document: dict[str, Any] = {"models": self.rules, "method": self.method}
        if self.measures:
            document["measures"] = self.measures
        if self.seed is not None:
            document["seed"] = self.seed
        return document


def compose_plan(dataset: Dataset, choice: ProtectionChoice) -> ComposedPlan:
    columns: dict[str, Any] = {}
    files: dict[str, str] = {}
    for column in dataset.columns.select_related("taxonomy"):
        columns[column.name] = _describe(column, files)
        if column.is_quasi_identifier and column.name in choice.weights:
            columns[column.name]["weight"] = choice.weights[column.name]
    files |= files_of_populations(dataset, choice.rules)
    document = {"plan": 1, "columns": columns, **choice.to_plan_parts()}
    return ComposedPlan(document, files)


def compose_chosen_plan(protection: Protection) -> ComposedPlan:
    return compose_plan(protection.dataset, choice_of(protection))


def choice_of(protection: Protection) -> ProtectionChoice:
    """Return the saved choice, without seeds of versions that allowed them everywhere."""
    saved = ProtectionChoice(
        protection.rules,
        protection.method,
        protection.measures,
        protection.weights,
        protection.seed,
    )
    return saved.without_undoing_seed(protection.dataset.subject)


def has_seed_left_out(protection: Protection) -> bool:
    """Say whether a saved seed is no longer allowed."""
    return protection.seed is not None and choice_of(protection).seed is None


def _describe(column: DatasetColumn, files: dict[str, str]) -> dict[str, Any]:
    described: dict[str, Any] = {"role": column.role, "type": column.type}
    if column.role == ColumnRoleChoices.IDENTIFIER:
        described["treatment"] = column.treatment
    taxonomy = getattr(column, "taxonomy", None)
    may_have_one = column.role in (ColumnRoleChoices.QUASI_IDENTIFIER, ColumnRoleChoices.SENSITIVE)
    if may_have_one and taxonomy is not None and taxonomy.is_complete and taxonomy.recipe:
        described["taxonomy"] = taxonomy.recipe
        if taxonomy.kind == taxonomy.Kind.FILE:
            name = f"taxonomies/{column.number:02d}-{slugify(column.name) or 'column'}.csv"
            described["taxonomy"] = {"file": name}
            files[name] = taxonomy.file_text
        if taxonomy.public_labels and taxonomy.names_values:
            described["public_labels"] = True
    return described
