"""What is deleted with a network; its files are deleted with the folder of its dataset."""

from deid_portal.datasets.models import Dataset
from deid_portal.networks.models import Network


def forget_network(dataset: Dataset) -> dict[str, int]:
    """Delete data about single nodes; counts are kept, as for a table."""
    for network in Network.objects.filter(dataset=dataset):
        network.drawing, network.story = {}, []
        network.save(update_fields=["drawing", "story"])
    return {}
