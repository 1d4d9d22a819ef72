"""Releases of before people were named: whoever could download yesterday can tomorrow.

Stewards and analysts of the team could, as often as they liked and without an end. Each gets the
terms of the request, counted from today and on top of what they took, and a package is queued.
"""

from datetime import timedelta

from django.db import migrations
from django.utils import timezone

COULD_DOWNLOAD = ("steward", "analyst")


def name_people(apps, schema_editor):
    releases = apps.get_model("releases", "Release").objects.filter(grants=None)
    memberships = apps.get_model("accounts", "Membership").objects.filter(role__in=COULD_DOWNLOAD)
    packages = apps.get_model("releases", "Package").objects
    for release in releases.select_related("request__run__dataset"):
        team = release.request.run.dataset.team_id
        people = set(memberships.filter(team=team).values_list("user_id", flat=True))
        for person in sorted(people):
            _grant(apps, release, person)
        packages.get_or_create(release=release, format="csv")


def _grant(apps, release, person):
    request = release.request
    taken = release.downloads.filter(person=person)
    last = taken.order_by("-at").first()
    apps.get_model("releases", "Grant").objects.create(
        release=release,
        person_id=person,
        granted_by_id=release.approved_by_id,
        expires_at=timezone.now() + timedelta(days=request.download_days),
        allowed=taken.count() + request.downloads_per_person,
        taken=taken.count(),
        last_taken_at=last.at if last else None,
    )


class Migration(migrations.Migration):
    dependencies = [
        ("releases", "0005_grants_and_withdrawal"),
        ("reviews", "0003_rounds_waivers_and_terms"),
        ("accounts", "0001_initial"),
    ]

    operations = [migrations.RunPython(name_people, migrations.RunPython.noop)]
