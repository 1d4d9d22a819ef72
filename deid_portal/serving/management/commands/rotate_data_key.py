"""python manage.py rotate_data_key"""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError

from deid_portal.serving.key_rotation import Rotation, rotate
from deid_portal.vault.vault import DamagedFile

LISTED = 10
KEY_DOES_NOT_FIT = (
    "List the key that DATA_DIR was written with in DATA_KEY_OLD and start this again."
)


class Command(BaseCommand):
    help = (
        "Move everything that an old data key has encrypted to the current one. May be stopped and "
        "started again, and the portal may run meanwhile."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--of-before",
            action="store_true",
            help="also take what is bound to no place, from a backup of an earlier version",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            done = rotate(self.say_how_far, of_before=options["of_before"])
        except (ImproperlyConfigured, DamagedFile) as reason:
            raise CommandError(f"{reason} {KEY_DOES_NOT_FIT}", returncode=3) from None
        self.stdout.write(
            f"Moved to the current key: {done.keys:,} keys of folders, {done.files:,} files, "
            f"{done.fields:,} sealed fields."
        )
        if not done.is_complete:
            raise CommandError(self.what_is_left(done), returncode=3)
        self.stdout.write(self.what_may_be_dropped())

    def say_how_far(self, what: str, number: int, total: int) -> None:
        """Say it about twenty times per kind of thing, and at its end."""
        if number == total or number % max(total // 20, 1) == 0:
            self.stdout.write(f"{what}: {number:,} of {total:,}")

    def what_is_left(self, done: Rotation) -> str:
        if not done.unreadable:
            return (
                f"{done.late:,} things were written with an old key meanwhile. Restart every "
                "process of the portal with the new DATA_KEY, then start this again."
            )
        shown = "\n".join(f"  {name}" for name in done.unreadable[:LISTED])
        return (
            f"{len(done.unreadable):,} could not be opened and stay as they are:\n{shown}\n"
            "If their key is missing in DATA_KEY_OLD, list it there and start this again. If they "
            "come from a backup of an earlier version, add --of-before. Keep the old keys until "
            "then."
        )

    def what_may_be_dropped(self) -> str:
        if not settings.DATA_KEY_OLD:
            return "Everything is encrypted with DATA_KEY, and no old key is listed."
        return (
            "Nothing is encrypted with an old key any more. Empty DATA_KEY_OLD and restart the "
            "portal; keep the old key in the safe as long as you keep backups of before today."
        )
