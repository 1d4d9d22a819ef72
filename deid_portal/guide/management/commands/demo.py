from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from deid_portal.guide.demo.people import PEOPLE
from deid_portal.guide.demo.world import make_dataset, make_people, remove_people


class Command(BaseCommand):
    help = "Make the demo's people and data (DEMO=1 only), or --remove the people."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--remove", action="store_true", help="close the demo accounts")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["remove"]:
            self.stdout.write(f"{remove_people()} demo accounts closed.")
            return
        if not settings.DEMO:
            raise CommandError("The demo is made only with DEMO=1.", returncode=2)
        make_people()
        make_dataset()
        for person in PEOPLE:
            self.stdout.write(f"  {person.username:<14} {person.password:<20} {person.team}")
