"""python manage.py signing_key [--rotate]"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from deid_portal.releases.package_signatures import current_signer, public_keys, rotate_signing_key
from deid_portal.web.refusals import Refused


class Command(BaseCommand):
    help = "Show the public keys that check this portal's packages, or sign with a new one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--rotate", action="store_true", help="make a new key from now on")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            current = rotate_signing_key(None) if options["rotate"] else current_signer()
        except Refused as reason:
            raise CommandError(str(reason)) from None
        for key in public_keys():
            word = "signs now" if key.fingerprint == current.fingerprint else "signed until changed"
            self.stdout.write(f"{key.fingerprint}  {word}, first used {key.first_used_at:%Y-%m-%d}")
            self.stdout.write(key.public_key)
