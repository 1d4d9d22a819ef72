"""Send the mails that are due, again and again until stopped; `--once` sends them and ends."""

import time
from typing import Any

from django.core.management import BaseCommand, CommandParser
from django.db import DatabaseError, close_old_connections, connection

from deid_portal.notices.emails import send_due_mails
from deid_portal.serving.supervisor import raise_on_stop_signals

SECONDS_BETWEEN_LOOKS = 5


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true")

    def handle(self, *args: Any, once: bool, **options: Any) -> None:
        if once:
            self.stdout.write(f"Mails sent: {send_due_mails()}.")
            return
        raise_on_stop_signals()
        try:
            self.send_until_stopped()
        except KeyboardInterrupt:
            return

    def send_until_stopped(self) -> None:
        while True:
            try:
                close_old_connections()
                send_due_mails()
            except DatabaseError:
                connection.close()  # database unreachable: due mails stay due
            time.sleep(SECONDS_BETWEEN_LOOKS)
