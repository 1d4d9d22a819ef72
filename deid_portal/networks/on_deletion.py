"""What goes when a network is forgotten; its files go with the folder of its dataset."""

from deid_portal.datasets.models import Dataset
from deid_portal.networks.models import Network


def forget_network(dataset: Dataset) -> dict[str, int]:
    """Delete what is told of single nodes; the counts stay, as they do for a table."""
    for network in Network.objects.filter(dataset=dataset):
        network.drawing, network.story = {}, []
        network.save(update_fields=["drawing", "story"])
    return {}
