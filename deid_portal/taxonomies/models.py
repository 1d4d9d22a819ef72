"""The taxonomies of quasi-identifiers."""

from django.db import models

from deid_portal.accounts.models import Team, User
from deid_portal.datasets.models import DatasetColumn
from deid_portal.vault.sealed_fields import SealedJSONField


class TaxonomyKind(models.TextChoices):
    """The builders, and trees no builder can describe, which are stored as rows of a file."""

    FLAT = "flat", "Shown or hidden"
    FILE = "file", "From a file"
    TREE = "tree", "Typed tree"
    INTERVALS = "intervals", "Intervals"
    DATES = "dates", "Dates"
    MASK = "mask", "Masking"


class TaxonomyVersion(models.Model):
    """A taxonomy a column had or has. Versions are added, never overwritten.

    A version edited by hand starts from `base`; its `steps` lead from there to `outline`, the first
    `done` of them, so each can be undone and redone.
    """

    sealed_to = ("column_id", "number")

    column = models.ForeignKey(
        DatasetColumn, on_delete=models.CASCADE, related_name="taxonomy_versions"
    )
    number = models.PositiveIntegerField()
    words = models.CharField(max_length=200)  # where it comes from
    kind = models.CharField(max_length=10, choices=TaxonomyKind)
    recipe = SealedJSONField()
    file_text = SealedJSONField(null=True)
    height = models.PositiveIntegerField(default=0)
    uncovered = models.PositiveIntegerField(default=0)
    outline = SealedJSONField(null=True)  # None: too large to be edited as a tree
    base = SealedJSONField(null=True)
    steps = SealedJSONField(default=list)
    step_count = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    taken_from = models.ForeignKey(
        "LibraryTaxonomy", null=True, on_delete=models.SET_NULL, related_name="uses"
    )
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["column", "number"], name="one_taxonomy_per_number")
        ]

    def __str__(self) -> str:
        return f"version {self.number} of the taxonomy of {self.column}"


class ColumnTaxonomy(models.Model):
    """The taxonomy of one column: its recipe as a plan writes it, and its file if it has one."""

    sealed_to = ("column_id",)

    Kind = TaxonomyKind

    column = models.OneToOneField(DatasetColumn, on_delete=models.CASCADE, related_name="taxonomy")
    version = models.ForeignKey(
        TaxonomyVersion, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    kind = models.CharField(max_length=10, choices=TaxonomyKind)
    # Trees and files name values of the table, so both are sealed.
    recipe = SealedJSONField()
    file_text = SealedJSONField(null=True)
    # Counted when the taxonomy is saved, so that lists and the stepper need not open the table.
    height = models.PositiveIntegerField(default=0)
    uncovered = models.PositiveIntegerField(default=0)
    # Whether everybody may know which values stand below which group: releases then name them.
    public_labels = models.BooleanField(default=False)
    changed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"taxonomy of {self.column}"

    @property
    def is_complete(self) -> bool:
        return self.uncovered == 0

    @property
    def names_values(self) -> bool:
        """Say whether it lists values, instead of following from how they are written."""
        return self.kind in (TaxonomyKind.TREE, TaxonomyKind.FILE)


class LibraryTaxonomy(models.Model):
    """A taxonomy a team keeps for its other tables. A name taken again makes a new version."""

    sealed_to = ("team_id", "name", "number")

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="library_taxonomies")
    name = models.CharField(max_length=100)
    number = models.PositiveIntegerField(default=1)
    source = models.CharField(max_length=200)  # where it comes from, in the steward's words
    tree = SealedJSONField()  # a tree names values of the table it was made for
    value_count = models.PositiveIntegerField(default=0)
    height = models.PositiveIntegerField(default=0)
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["team", "name", "number"], name="one_library_taxonomy_per_number"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name}, version {self.number}"
