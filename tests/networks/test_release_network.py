"""A network leaves: the same review, a package of its files, a proof that needs nothing else."""

import io
import zipfile

import pytest

from deid_portal.engine.verification.verification import verify_package
from deid_portal.reviews.services import RequestTerms, ask_for_review
from deid_portal.vault import vault
from tests import factories
from tests.conftest import Cast
from tests.networks import worlds


@pytest.fixture
def packed(cast: Cast, without_pdf: None) -> bytes:
    dataset = worlds.make_network(cast.steward, cast.team)
    worlds.protect_karate(cast.steward, dataset, k=5)
    run = worlds.run_network(cast.steward, dataset)
    request = ask_for_review(run=run, asked_by=cast.steward, terms=RequestTerms("teaching file"))
    package = factories.pack(factories.approve(request, cast.approver))
    assert package.is_ready, package.problem
    with vault.open_reader(package.file) as stream:
        return stream.read()


def changed(package: bytes, name: str, old: bytes, new: bytes) -> io.BytesIO:
    """Return the package with a change in one file, everything else as it was."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as source, zipfile.ZipFile(made, "w") as target:
        for own in source.namelist():
            content = source.read(own)
            target.writestr(own, content.replace(old, new, 1) if own == name else content)
    return io.BytesIO(made.getvalue())


def test_every_claim_of_the_package_holds(packed: bytes) -> None:
    found = verify_package(io.BytesIO(packed))
    assert found.failed == []
    assert found.figures["k"] >= 5


def test_it_holds_the_network_in_three_files_and_no_id_of_a_member(packed: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert {"edges.csv", "nodes.csv", "network.graphml"} <= set(archive.namelist())
        assert archive.read("nodes.csv").decode().split()[:2] == ["node", "1"]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("edges.csv", b"\n1,", b"\n2,"),
        ("report.json", b'"holds": true', b'"holds": false'),
        ("network.graphml", b"<edge", b"<egde"),
        ("nodes.csv", b"\n34\n", b"\n35\n"),
    ],
)
def test_whatever_is_changed_is_found(packed: bytes, name: str, old: bytes, new: bytes) -> None:
    found = verify_package(changed(packed, name, old, new))
    assert any(name in claim.name or name in claim.words for claim in found.failed)
