from typing import Any

from django.core.management.base import BaseCommand, CommandError

from deid_portal.audit.verifying import verify_chain


class Command(BaseCommand):
    help = "Recompute the chain of audit records and say whether it is intact."

    def handle(self, *args: Any, **options: Any) -> None:
        found = verify_chain()
        if found.broken_at is not None:
            raise CommandError(
                f"The audit chain is broken at record {found.broken_at}.", returncode=3
            )
        self.stdout.write(f"Audit chain intact: {found.records} records.")
