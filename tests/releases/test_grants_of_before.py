"""Releases of before people were named keep what people could do."""

from importlib import import_module

from django.apps import apps

from deid_portal.releases.models import Download, Release
from tests.conftest import Cast

before = import_module("deid_portal.releases.migrations.0006_grants_of_before")


def test_stewards_and_analysts_can_go_on(cast: Cast, release: Release) -> None:
    release.grants.all().delete()
    release.packages.all().delete()
    for _ in range(7):
        Download.objects.create(release=release, person=cast.analyst)
    before.name_people(apps, None)
    left = {grant.person.username: grant.left for grant in release.grants.all()}
    assert left == {"steward": 3, "teammate": 3, "analyst": 3}
    assert release.packages.get().status == "queued"
