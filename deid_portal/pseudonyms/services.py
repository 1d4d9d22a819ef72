"""Changing the key of pseudonyms, storing ways back, and looking people up.

All of these leave an audit record, which holds neither an original nor the reason of a look-up:
reasons may hold names, so they are sealed with the look-up.
"""

from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from deid_portal.accounts.models import Team, User
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset, PseudonymKey
from deid_portal.datasets.pseudonyms import new_pseudonym_secret, pseudonym_key_of
from deid_portal.engine.release.pseudonyms import pseudonym_of
from deid_portal.pseudonyms.models import LookUp, WayBack, way_back_file
from deid_portal.pseudonyms.permissions import check_can_look_up, check_can_rotate
from deid_portal.pseudonyms.policies import check_can_be_opened
from deid_portal.pseudonyms.tables import Person, find_pseudonymized_people, write_ways_back
from deid_portal.vault import vault

# A run that started with a key may end after the key was retired.
STAYS_AFTER_RETIRING = timedelta(days=1)


@transaction.atomic
def rotate_key(*, team: Team, rotated_by: User, reason: str) -> PseudonymKey:
    """Create a new key: later releases have other pseudonyms."""
    check_can_rotate(rotated_by, team)
    Team.objects.select_for_update().get(id=team.id)
    old = pseudonym_key_of(team)
    old.retired_at = timezone.now()
    old.save(update_fields=["retired_at"])
    new = PseudonymKey.objects.create(
        team=team, number=old.number + 1, secret=new_pseudonym_secret()
    )
    record_event(
        "pseudonyms.key_rotated",
        actor=rotated_by,
        team=team,
        subject=new,
        facts={"number": new.number, "reason": reason},
    )
    return new


def destroy_unneeded_keys() -> int:
    """Destroy retired keys that no way back needs; run every hour."""
    before = timezone.now() - STAYS_AFTER_RETIRING
    retired = PseudonymKey.objects.filter(retired_at__lt=before, ways_back=None)
    destroyed = 0
    for key in retired.select_related("team"):
        if key.secret is not None:
            _destroy(key)
            destroyed += 1
    return destroyed


@transaction.atomic
def _destroy(key: PseudonymKey) -> None:
    key.secret = None
    key.save(update_fields=["secret"])
    record_event(
        "pseudonyms.key_destroyed",
        actor=None,
        team=key.team,
        subject=key,
        facts={"number": key.number},
    )


def store_way_back(
    *, dataset: Dataset, run_id: UUID, attempt: int, ways: Iterable[tuple[str, str, str]]
) -> int:
    """Write the file of an attempt; it is in force after `keep_way_back`."""
    return write_ways_back(way_back_file(dataset, run_id, attempt), ways)


def keep_way_back(
    *,
    dataset: Dataset,
    run_id: UUID,
    run_number: int,
    attempt: int,
    key: PseudonymKey,
    pseudonyms: int,
    asked_by: User,
) -> WayBack:
    """Register the file of the successful attempt, in the transaction that ends the run."""
    way_back = WayBack.objects.create(
        dataset=dataset,
        run_id=run_id,
        run_number=run_number,
        attempt=attempt,
        key=key,
        pseudonyms=pseudonyms,
    )
    record_event(
        "pseudonyms.way_back_kept",
        actor=asked_by,
        team=dataset.team,
        subject=way_back,
        facts={"run": run_number, "pseudonyms": pseudonyms, "key": key.number},
    )
    return way_back


def delete_way_back(dataset: Dataset, run_id: UUID, attempt: int) -> None:
    """Delete the file of an unsuccessful attempt."""
    vault.delete(way_back_file(dataset, run_id, attempt))


def look_up(*, way_back: WayBack, looked_up_by: User, pseudonym: str, reason: str) -> list[Person]:
    """Return who is behind a pseudonym. The look-up is recorded before the answer is shown."""
    check_can_look_up(looked_up_by, way_back.team)
    check_can_be_opened(way_back)
    people = [
        person
        for person in find_pseudonymized_people(way_back.file, pseudonym)
        # Recompute the pseudonym: a line that differs was not written by the run.
        if pseudonym_of(person.original, way_back.key.bytes) == pseudonym
    ]
    with transaction.atomic():
        LookUp.objects.create(
            way_back=way_back,
            looked_up_by=looked_up_by,
            pseudonym=pseudonym,
            reason=reason,
            found=bool(people),
        )
        record_event(
            "pseudonyms.looked_up",
            actor=looked_up_by,
            team=way_back.team,
            subject=way_back,
            facts={"pseudonym": pseudonym, "found": bool(people)},
        )
    return people


@transaction.atomic
def destroy_way_back(*, way_back: WayBack, destroyed_by: User) -> None:
    """Delete the way back for good, without the dataset."""
    check_can_look_up(destroyed_by, way_back.team)
    file, team = way_back.file, way_back.team
    record_event(
        "pseudonyms.way_back_destroyed",
        actor=destroyed_by,
        team=team,
        subject=way_back,
        facts={"run": way_back.run_number, "pseudonyms": way_back.pseudonyms},
    )
    way_back.delete()
    transaction.on_commit(lambda: vault.delete(file))


def forget_ways_back(dataset: Dataset) -> dict[str, int]:
    """Called when a dataset is forgotten; the files go with its folder and its key."""
    ways_back = dataset.ways_back.all()
    count = ways_back.count()
    ways_back.delete()
    return {"ways_back": count} if count else {}
