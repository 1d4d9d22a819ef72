import csv
import hashlib
import io
import zipfile
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.plans.services import choose_protection
from deid_portal.releases.models import Release
from deid_portal.reviews.services import RequestTerms, ask_for_review
from deid_portal.runs.services import start_run
from deid_portal.taxonomies.models import ColumnTaxonomy
from deid_portal.taxonomies.services import set_taxonomy
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


def _download(client: Client, release: Release) -> zipfile.ZipFile:
    answer = client.get(reverse("releases:download", args=[release.id]))
    assert answer.status_code == 200
    return zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))  # type: ignore[attr-defined]


@pytest.mark.parametrize("person", ["steward", "analyst"])
def test_the_package_is_whole_and_proves_itself(
    person: str, cast: Cast, release: Release, signed_in: SignIn
) -> None:
    package = _download(signed_in(getattr(cast, person)), release)
    assert {"release.csv", "report.json", "plan.json", "SHA256SUMS"} <= set(package.namelist())
    for line in package.read("SHA256SUMS").decode().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256(package.read(name)).hexdigest() == digest
    event = Event.objects.get(action="release.downloaded")
    assert event.actor == getattr(cast, person)


def test_the_rows_are_the_promised_ones(cast: Cast, release: Release, signed_in: SignIn) -> None:
    text = _download(signed_in(cast.analyst), release).read("release.csv").decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == ["Zip", "Age", "Condition"]
    groups = [(row["Zip"], row["Age"]) for row in rows]
    assert min(groups.count(group) for group in groups) >= 4


def test_the_same_release_gives_the_same_bytes(
    cast: Cast, release: Release, signed_in: SignIn
) -> None:
    address = reverse("releases:download", args=[release.id])
    client = signed_in(cast.steward)
    first, second = (b"".join(client.get(address).streaming_content) for _ in range(2))  # type: ignore[attr-defined]
    assert first == second


def test_before_approval_there_is_nothing(cast: Cast, signed_in: SignIn) -> None:
    request = factories.make_request(cast.steward, cast.team)
    client = signed_in(cast.steward)
    for subject in (request.id, request.run_id, uuid4()):
        assert client.get(reverse("releases:download", args=[subject])).status_code == 404
        assert client.get(reverse("releases:show", args=[subject])).status_code == 404


def test_an_analyst_sees_the_release_and_not_the_dataset(
    cast: Cast, release: Release, signed_in: SignIn
) -> None:
    client = signed_in(cast.analyst)
    page = client.get(reverse("releases:show", args=[release.id])).content.decode()
    assert "Download package" in page
    assert str(release.request.run.dataset_id) not in page
    home = client.get(reverse("guide:home")).content.decode()
    assert "Datasets" not in home


def test_whoever_is_not_named_sees_why_the_button_is_closed(
    cast: Cast, release: Release, signed_in: SignIn
) -> None:
    page = signed_in(cast.approver).get(reverse("releases:show", args=[release.id]))
    assert "open to the people named for it, and you are not one of them" in page.content.decode()


def test_the_package_names_nothing_that_the_rows_do_not_show(cast: Cast, signed_in: SignIn) -> None:
    """Typed trees and files list exact values, also of people who were left out."""
    dataset = factories.make_tagged_dataset(cast.steward, cast.team)
    tree = {"*": {"130": ["13053", "13068"], "148": ["14850", "14853"]}}
    for name, kind, recipe in (
        ("Zip", ColumnTaxonomy.Kind.TREE, {"tree": tree}),
        ("Age", ColumnTaxonomy.Kind.INTERVALS, factories.DECADES),
    ):
        column = dataset.columns.get(name=name)
        set_taxonomy(column=column, changed_by=cast.steward, kind=kind, recipe=recipe)
    choose_protection(
        dataset=dataset, chosen_by=cast.steward, rules=factories.RULES, method=factories.METHOD
    )
    run = factories.finish_run(start_run(dataset=dataset, started_by=cast.steward))
    factories.allow_small_groups(cast.team, cast.administrator)
    request = ask_for_review(run=run, asked_by=cast.steward, terms=RequestTerms("teaching file"))
    release = factories.approve(request, cast.approver)
    factories.pack(release)
    package = _download(signed_in(cast.analyst), release)
    released = package.read("release.csv").decode()
    # The PDF is printed from the HTML, which is looked at.
    readable = [name for name in package.namelist() if not name.endswith(".pdf")]
    everything = "".join(package.read(name).decode() for name in readable)
    for value in ("13053", "13068", "14850", "14853", "Jennifer"):
        assert value not in released
        assert value not in everything
