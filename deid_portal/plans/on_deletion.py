"""Models and methods can name values, so the protection is deleted with the table."""

from deid_portal.datasets.models import Dataset
from deid_portal.plans.models import PopulationTable, Protection


def forget_protection(dataset: Dataset) -> dict[str, int]:
    protections = Protection.objects.filter(dataset=dataset)
    count = protections.count()
    protections.delete()
    # Their files are in the folder of the dataset and are deleted with it.
    populations, _ = PopulationTable.objects.filter(dataset=dataset).delete()
    return {"protections": count, "populations": populations}
