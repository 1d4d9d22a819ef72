from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from deid_portal.accounts.models import Role, Team
from deid_portal.accounts.selectors import find_account
from deid_portal.accounts.services import add_member, create_team


class Command(BaseCommand):
    help = "Give a person a role in a team; a team that does not exist is made."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the name the person signs in with")
        parser.add_argument("--team", required=True)
        parser.add_argument("--role", required=True, choices=Role.values, action="append")

    def handle(self, *args: Any, **options: Any) -> None:
        user = find_account(options["name"])
        if user is None:
            raise CommandError(
                f"Nobody signs in as {options['name']}. Make them with createsuperuser first.",
                returncode=2,
            )
        team = Team.objects.filter(name=options["team"]).first() or create_team(
            name=options["team"]
        )
        roles = [Role(role) for role in options["role"]]
        add_member(team=team, user=user, roles=roles, added_by=None)
        self.stdout.write(f"{user} is {', '.join(role.label for role in roles)} of {team}.")
