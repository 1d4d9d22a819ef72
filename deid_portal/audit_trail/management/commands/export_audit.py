"""python manage.py export_audit FILE: the record of all teams and of the portal itself."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from deid_portal.audit_trail.exports import WRITERS, begin_export
from deid_portal.audit_trail.selectors import AuditSearch


class Command(BaseCommand):
    help = "Write every audit record into a file (.jsonl or .csv) that can be checked anywhere."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        file_format = path.suffix.removeprefix(".")
        if file_format not in WRITERS:
            raise CommandError("Name the file .jsonl or .csv.", returncode=2)
        try:
            with path.open("xb") as stream:
                export = begin_export(
                    team=None, exported_by=None, wanted=AuditSearch(), file_format=file_format
                )
                stream.writelines(export.content())
        except OSError as problem:
            raise CommandError(f"{path} cannot be written: {problem.strerror}.") from None
        self.stdout.write(
            f"Records {export.first} to {export.last} are in {path}, "
            f"signed with the key {export.signer.fingerprint}."
        )
