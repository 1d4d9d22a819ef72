"""python manage.py verify PACKAGE [--key FILE]"""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from deid_portal.engine.errors import EngineError
from deid_portal.engine.verification.archive import LARGEST_MB
from deid_portal.engine.verification.signatures import fingerprint_of
from deid_portal.engine.verification.verification import PackageVerification, verify_package

UNUSABLE, CHANGED = 2, 3


class Command(BaseCommand):
    help = (
        "Check signature and fingerprints of a release package and compute its claims again from "
        "its table. Needs nothing but the package. Exit code 0: every claim holds, 3: one does "
        "not, 2: this is no package."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("package", type=Path, help="the zip")
        parser.add_argument("--key", type=Path, help="the public key that it must be signed with")
        parser.add_argument(
            "--limit-mb", type=int, default=LARGEST_MB, help="the most it may be when unpacked"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            verification = self.verify(options)
        except OSError:
            self.refuse(f'There is no readable file "{options["package"]}".')
        except EngineError as reason:
            self.refuse(str(reason))
        self.say(verification)
        if not verification.is_whole:
            sys.exit(CHANGED)

    def verify(self, options: dict[str, Any]) -> PackageVerification:
        pinned = self.read_key(options["key"])
        with options["package"].open("rb") as stream:
            return verify_package(stream, pinned=pinned, largest_mb=options["limit_mb"])

    def read_key(self, path: Path | None) -> bytes | None:
        if path is None:
            return None
        try:
            key = path.read_bytes()
        except OSError:
            self.refuse(f'There is no readable key "{path}".')
        fingerprint_of(key)  # says what is wrong with it before anything else is looked at
        return key

    def refuse(self, sentence: str) -> None:
        self.stderr.write(sentence)
        sys.exit(UNUSABLE)

    def say(self, done: PackageVerification) -> None:
        self.stdout.write(done.summary)
        for claim in done.failed:
            self.stdout.write(f"fails: {claim.words or claim.name}")
        if done.trusted:
            self.stdout.write("")
            self.stdout.write("taken on trust from the signature, not computed again:")
            for claim in done.trusted:
                self.stdout.write(f"  {claim.name}: {claim.words}")
        self.stdout.write("")
        self.stdout.write(self.verdict(done))

    def verdict(self, done: PackageVerification) -> str:
        if done.failed:
            return done.verdict
        held = f"{done.verdict} ({len(done.held):,} checked)"
        if done.is_pinned:
            return f"{held}, signed with the key you gave"
        return f"{held}, signed with the key {done.fingerprint}\nCompare it with the portal's."
