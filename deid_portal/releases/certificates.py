"""The certificate of a release: a preview for the page, and the packed files."""

import zipfile

from deid_portal.releases.models import Package, Release, Statement
from deid_portal.releases.package_certificate import Certificate
from deid_portal.releases.packages import open_package, package_name, package_of
from deid_portal.releases.subjects import PackedSubject

CERTIFICATE_KINDS = {"html": "text/html; charset=utf-8", "pdf": "application/pdf"}


def preview_certificate(release: Release, package: Package | None) -> Certificate | None:
    """Return the contents of the certificate; None before there is a statement."""
    statement = Statement.objects.filter(release=release).first()
    if statement is None:
        return None
    run = release.request.run
    fingerprint = package.key_fingerprint if package else ""
    return Certificate(
        statement.stated.without_figures_of_the_original(),
        run.published_report,
        run.publication,
        fingerprint,
        PackedSubject.of(run.dataset),
    )


def read_certificate(release: Release, kind: str) -> bytes | None:
    """Read it from the standard package; None if there is no file of this kind."""
    package = package_of(release)
    if package is None or not package.is_ready or kind not in CERTIFICATE_KINDS:
        return None
    with open_package(package) as stream, zipfile.ZipFile(stream) as archive:
        try:
            return archive.read(f"certificate.{kind}")
        except KeyError:
            return None


def certificate_kinds(package: Package | None) -> list[str]:
    if package is None or not package.is_ready:
        return []
    packed = {file["name"] for file in package.files}
    return [kind for kind in CERTIFICATE_KINDS if f"certificate.{kind}" in packed]


def certificate_name(release: Release, kind: str) -> str:
    return f"{package_name(release).removesuffix('.zip')}-certificate.{kind}"
