"""How each quasi-identifier may be made coarser."""

from django.db import models

from deid_portal.accounts.models import User
from deid_portal.common.sealing import SealedJSONField
from deid_portal.datasets.models import DatasetColumn


class ColumnTaxonomy(models.Model):
    """The taxonomy of one column: its recipe as a plan writes it, and its file if it has one."""

    class Kind(models.TextChoices):
        FLAT = "flat", "Shown or hidden"
        FILE = "file", "From a file"
        TREE = "tree", "Typed tree"
        INTERVALS = "intervals", "Intervals"
        DATES = "dates", "Dates"
        MASK = "mask", "Masking"

    column = models.OneToOneField(DatasetColumn, on_delete=models.CASCADE, related_name="taxonomy")
    kind = models.CharField(max_length=10, choices=Kind)
    # Trees and files name values of the table, so both are sealed.
    recipe = SealedJSONField()
    file_text = SealedJSONField(null=True)
    # Counted when the taxonomy is saved, so that lists and the stepper need not open the table.
    height = models.PositiveIntegerField(default=0)
    uncovered = models.PositiveIntegerField(default=0)
    changed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"taxonomy of {self.column}"

    @property
    def is_complete(self) -> bool:
        return self.uncovered == 0
