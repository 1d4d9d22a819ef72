"""Rules and methods can name values of the table, so the chosen protection goes with it."""

from deid_portal.datasets.models import Dataset
from deid_portal.plans.models import PopulationTable, Protection


def forget_protection(dataset: Dataset) -> dict[str, int]:
    protections = Protection.objects.filter(dataset=dataset)
    count = protections.count()
    protections.delete()
    # Their files lie in the folder of the dataset and go with it.
    populations, _ = PopulationTable.objects.filter(dataset=dataset).delete()
    return {"protections": count, "populations": populations}
