from deid_portal.celery_app import app
from deid_portal.datasets.reading_job import give_up_reading, perform_reading
from deid_portal.networks.models import NetworkReading
from deid_portal.work.leases import claim, pick_up_forgotten
from deid_portal.work.sweep import in_every_sweep


@app.task
def read_uploaded_network(reading_id: str) -> None:
    lease = claim(NetworkReading, reading_id)
    if lease is not None:
        perform_reading(lease)


@in_every_sweep
def pick_up_forgotten_network_readings() -> None:
    pick_up_forgotten(NetworkReading, read_uploaded_network, give_up_reading)
