import hashlib
import zipfile
from dataclasses import replace

import pytest

from deid_portal.audit.models import Event
from deid_portal.engine import ENGINE_VERSION
from deid_portal.notices.models import Notice
from deid_portal.releases.models import Package, Release, TableFormat
from deid_portal.releases.package_archive import perform_packing
from deid_portal.releases.packages import open_package, package_of, request_package
from deid_portal.vault import vault
from deid_portal.web.refusals import Refused
from deid_portal.work.leases import WorkStatus, claim
from tests import factories
from tests.conftest import Cast


@pytest.fixture
def release(cast: Cast, without_pdf: None) -> Release:
    return factories.make_release(cast.steward, cast.approver, cast.team)


def test_approval_has_the_csv_package_packed(release: Release) -> None:
    package = package_of(release)
    assert package is not None
    assert package.status == WorkStatus.QUEUED
    assert Event.objects.filter(action="package.requested").exists()


def test_a_packed_package_is_one_whole_file(release: Release) -> None:
    package = factories.pack(release)
    with open_package(package) as stream:
        content = stream.read()
    assert (len(content), hashlib.sha256(content).hexdigest()) == (package.size, package.sha256)
    with open_package(package) as stream, zipfile.ZipFile(stream) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [file["name"] for file in package.files]


def test_any_range_of_it_can_be_read(release: Release) -> None:
    package = factories.pack(release)
    with open_package(package) as stream:
        whole = stream.read()
        stream.seek(100)
        assert stream.read(50) == whole[100:150]


def test_nothing_can_be_opened_before_it_is_packed(release: Release) -> None:
    package = package_of(release)
    assert package is not None
    with pytest.raises(Refused):
        open_package(package)


def test_asking_twice_gives_the_same_package(cast: Cast, release: Release) -> None:
    for _ in range(2):
        request_package(release=release, format=TableFormat.PARQUET, person=cast.analyst)
    assert release.packages.count() == 2
    assert Event.objects.filter(action="package.requested", actor_id=cast.analyst.id).count() == 1


def test_rows_that_were_not_approved_are_not_packed(release: Release) -> None:
    with vault.VaultWriter(release.request.run.release_file) as writer:
        writer.write(b"Zip,Age,Condition\n13053,28,Flu\n")
    package = package_of(release)
    assert package is not None
    lease = claim(Package, str(package.id))
    assert lease is not None
    with pytest.raises(vault.DamagedFile):
        perform_packing(lease)
    package.refresh_from_db()
    assert package.status == WorkStatus.FAILED
    assert not vault.path_of(lease.work.file).exists()


def test_who_asked_for_another_format_is_told(cast: Cast, release: Release) -> None:
    factories.pack(release)
    assert not Notice.objects.filter(kind="package.packed").exists()
    factories.pack(release, TableFormat.PARQUET, cast.analyst)
    told = Notice.objects.get(kind="package.packed")
    assert told.person == cast.analyst
    assert "packed as Parquet" in told.words


@pytest.mark.parametrize(("engine", "status"), [(ENGINE_VERSION, "failed"), ("0.0.1", "finished")])
def test_a_package_of_todays_engine_that_fails_its_own_check_is_not_offered(
    cast: Cast, engine: str, status: str
) -> None:
    """One of an older engine is, with a note: that engine may have counted otherwise."""
    release = factories.make_release(cast.steward, cast.approver, cast.team)
    run = release.request.run
    classes = run.report.classes
    run.report = replace(run.report, classes=replace(classes, smallest=classes.smallest + 1))
    run.engine_version = engine
    run.save(update_fields=["report", "engine_version"])
    package = factories.pack(release)
    assert package.status == status
    told = package.problem if status == "failed" else " ".join(package.notes)
    assert "Verifying this package fails" in told


def test_more_rows_than_a_sheet_has_are_refused_at_once(cast: Cast, release: Release) -> None:
    run = release.request.run
    run.report = replace(run.report, rows=replace(run.report.rows, released=1_048_576))
    run.save(update_fields=["report"])
    with pytest.raises(Refused, match="ends at 1,048,575 rows and this release has 1,048,576"):
        request_package(release=release, format="xlsx", person=cast.steward)
    assert not release.packages.filter(format="xlsx").exists()
