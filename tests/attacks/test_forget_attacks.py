"""Deleting a table stops open attacks and deletes outside tables; results stay."""

from collections.abc import Callable

from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.attacks.models import AttackTest, OutsideTable
from deid_portal.attacks.outside import bring_table
from deid_portal.attacks.services import start_attacks
from deid_portal.datasets.services import forget_now
from deid_portal.vault import vault
from deid_portal.work.leases import WorkStatus
from tests import factories
from tests.conftest import Cast


def test_forgetting_ends_attacks_and_deletes_brought_tables(
    cast: Cast,
    signed_in: Callable[[User], Client],
    django_capture_on_commit_callbacks: Callable[..., object],
) -> None:
    run = factories.make_exposed_run(cast.steward, cast.team)
    factories.attack(run, cast.steward, "homogeneity")
    start_attacks(run=run, asked_by=cast.steward, attacks=["skewness"])
    upload = factories.store_upload(b"Zip,Age\n13053,28\n", "voters.csv")
    table = bring_table(
        run=run, upload=upload, brought_by=cast.steward, use=OutsideTable.Use.LINKAGE
    )
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        forget_now(dataset=run.dataset, forgotten_by=cast.steward)
    assert AttackTest.objects.get(attack="skewness").status == WorkStatus.STOPPED
    assert not vault.path_of(table.file).exists()
    page = signed_in(cast.steward).get(reverse("attacks:show", args=[run.id]))
    assert "everybody has the same Condition" in page.content.decode()
    assert "was deleted" in page.content.decode()
