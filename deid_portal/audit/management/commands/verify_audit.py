from typing import Any

from django.core.management.base import BaseCommand, CommandError

from deid_portal.audit.models import Event
from deid_portal.audit.selectors import find_break


class Command(BaseCommand):
    help = "Recompute the chain of audit records and say whether it is intact."

    def handle(self, *args: Any, **options: Any) -> None:
        broken_at = find_break()
        if broken_at is not None:
            raise CommandError(f"The audit chain is broken at record {broken_at}.", returncode=3)
        self.stdout.write(f"Audit chain intact: {Event.objects.count()} records.")
