from deid_portal.celery_app import app
from deid_portal.releases.expiry import expire_releases
from deid_portal.releases.models import Package
from deid_portal.releases.package_archive import give_up_packing, perform_packing
from deid_portal.work.leases import claim, pick_up_forgotten
from deid_portal.work.sweep import in_every_sweep


@app.task
def pack_release(package_id: str) -> None:
    lease = claim(Package, package_id)
    if lease is not None:
        perform_packing(lease)


@in_every_sweep
def pick_up_forgotten_packages() -> None:
    pick_up_forgotten(Package, pack_release, give_up_packing)


@app.task
def expire_releases_that_are_over() -> None:
    """Run every few minutes by the scheduler; pages show the right state without it."""
    expire_releases()
