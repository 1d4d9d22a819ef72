"""python manage.py verify_audit [--export FILE [--key FILE] | --anchor END | --accept REASON]"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from deid_portal.audit.models import ChainHead, Event
from deid_portal.audit.verification import accept_breaks, find_problems, verify_chain
from deid_portal.audit_trail.export_check import CheckedExport, check_export
from deid_portal.web.refusals import Refused

BROKEN = 3


class Command(BaseCommand):
    help = "Recompute the chain of audit records and say whether it is intact."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--export", type=Path, metavar="FILE", help="check an exported file")
        parser.add_argument(
            "--key", type=Path, metavar="FILE", help="the public key the export must be signed with"
        )
        parser.add_argument(
            "--anchor", metavar="NUMBER:HASH", help="check that the chain once ended so"
        )
        parser.add_argument(
            "--accept", metavar="REASON", help="take note of what is broken and go on from here"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["export"]:
                self.check_export(options["export"], options["key"])
            elif options["accept"] is not None:
                self.accept(options["accept"])
            else:
                self.verify()
        except Refused as reason:
            raise CommandError(str(reason), returncode=BROKEN) from None
        if options["anchor"]:
            self.check_anchor(options["anchor"])

    def verify(self) -> None:
        found = verify_chain()
        if found.broken_at is not None:
            words = "\n".join(f"  {problem.words}" for problem in find_problems())
            raise CommandError(
                f"The audit chain is broken at record {found.broken_at}.\n{words}",
                returncode=BROKEN,
            )
        self.stdout.write(
            f"Audit chain intact: {found.records} records, "
            f"compared with {found.anchors} of the notes outside the database."
        )
        head = ChainHead.objects.filter(pk=1).first()
        if head and head.number:
            self.stdout.write(f"It ends at {head.number}:{head.hash}")

    def check_anchor(self, anchor: str) -> None:
        number, _, wanted = anchor.partition(":")
        event = Event.objects.filter(number=number).first() if number.isdecimal() else None
        if event is None or event.hash != wanted:
            raise CommandError("The chain never ended like this.", returncode=BROKEN)
        self.stdout.write(f"Record {event.number} is still the one it was.")

    def check_export(self, path: Path, key: Path | None) -> None:
        found = check_export(path, pinned=self.read_key(key))
        self.stdout.write(
            f"Export intact: records {found.first} to {found.last}, {found.records} in full, "
            f"{found.links} as links only."
        )
        if found.old_links:
            self.stdout.write(
                f"{found.old_links} links are of an older kind: their hashes fit each other, "
                "but cannot be recomputed from the file."
            )
        self.stdout.write(self.compare(found))
        if key:
            self.stdout.write("All of it is signed with the key you gave.")
        else:
            self.stdout.write(
                f"All of it is signed with the key {found.signed_by}. Whose key that is, the file "
                "cannot tell: compare it with what signing_key prints, or give --key."
            )

    def read_key(self, path: Path | None) -> bytes | None:
        try:
            return path.read_bytes() if path else None
        except OSError:
            raise Refused(f'There is no readable key "{path}".') from None

    def compare(self, found: CheckedExport) -> str:
        try:
            here = Event.objects.filter(number=found.last).first()
        except DatabaseError:
            here = None
        if here is None:
            return f"It ends at {found.last}:{found.hash} (not compared with a portal)."
        if here.hash != found.hash:
            raise Refused("The file fits itself, but is not of this portal's record.")
        return f"It ends at {found.last}:{found.hash}, as this portal's record does there."

    def accept(self, reason: str) -> None:
        for problem in accept_breaks(reason):
            self.stdout.write(f"Accepted: {problem.words}")
