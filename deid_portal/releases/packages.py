"""The packages of a release: listing, requesting and opening them.

A package is one immutable file in the vault, so that any range of its bytes can be read at any time
and parts of different downloads fit together. It cannot be opened before it is complete.
"""

import zipfile
from typing import BinaryIO

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.engine.files.writer import MOST_ROWS_OF_A_SHEET
from deid_portal.releases.models import Package, Release, TableFormat
from deid_portal.releases.tasks import pack_release
from deid_portal.vault import vault
from deid_portal.web.refusals import Refused
from deid_portal.work.leases import WorkStatus, queue

NOT_PACKED = "This package is still being packed."


def package_of(release: Release, format: str = TableFormat.CSV) -> Package | None:
    """Return the package with the table in a format, whatever its status; None if there is none."""
    return release.packages.filter(format=format).first()


def packages_of(release: Release) -> dict[str, Package]:
    return {package.format: package for package in release.packages.all()}


def package_name(release: Release, format: str = TableFormat.CSV) -> str:
    """Return the file name; for CSV, the default format, without a suffix for the format."""
    dataset = slugify(release.request.run.dataset.name) or "dataset"
    ending = "" if format == TableFormat.CSV else f"-{TableFormat(format).label.lower()}"
    return f"{dataset}-release-{release.number}{ending}.zip"


@transaction.atomic
def request_package(*, release: Release, format: str, person: User | None) -> Package:
    """Return the package, queued if there is none or the last try failed.

    Does nothing if it exists or is being packed. `person` is None if the approval requests it. The
    caller checks who may request it.
    """
    if format not in TableFormat:
        raise Refused("Choose CSV, Parquet, XLSX or SPSS.")
    if format == TableFormat.XLSX:
        _check_fits_a_sheet(release)
    package, is_new = Package.objects.get_or_create(
        release=release, format=format, defaults={"asked_by": person}
    )
    if not is_new and not _try_again(package):
        return package
    record_event(
        "package.requested",
        actor=person,
        team=release.request.run.dataset.team,
        subject=release,
        facts={"format": str(format)},
    )
    queue(package, pack_release)
    return package


def _check_fits_a_sheet(release: Release) -> None:
    """Refuse at once, before a worker tries."""
    rows = release.request.run.finished_report.rows.released
    if rows > MOST_ROWS_OF_A_SHEET:
        raise Refused(
            f"A sheet ends at {MOST_ROWS_OF_A_SHEET:,} rows and this release has {rows:,}. "
            "Choose CSV, Parquet or SPSS."
        )


def _try_again(package: Package) -> bool:
    """Queue a failed package again; False if it has not failed."""
    failed = Package.objects.filter(
        id=package.id, status__in=(WorkStatus.FAILED, WorkStatus.STOPPED)
    )
    again = failed.update(
        status=WorkStatus.QUEUED,
        attempt=0,
        handed_back=0,
        problem="",
        finished_at=None,
        queued_at=timezone.now(),
    )
    package.refresh_from_db()
    return bool(again)


def open_package(package: Package) -> BinaryIO:
    """Open the zip at its first byte; `seek` goes to any other. Close it when done."""
    if not package.is_ready:
        raise Refused(NOT_PACKED)
    return vault.open_reader(package.file)


def read_file(package: Package, name: str) -> bytes:
    """Return one file of a package, such as certificate.html; raises KeyError if it has none."""
    with open_package(package) as stream, zipfile.ZipFile(stream) as archive:
        return archive.read(name)
