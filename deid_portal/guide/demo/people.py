"""The people of the demo, with public passwords."""

from dataclasses import dataclass

from deid_portal.accounts.models import Role

TEAM, OTHER_TEAM = "Population statistics", "Another office"


@dataclass(frozen=True)
class DemoPerson:
    username: str
    team: str
    role: Role

    @property
    def label(self) -> str:
        return self.role.label if self.team == TEAM else "Outsider"

    @property
    def password(self) -> str:
        return f"demo-{self.username}"


PEOPLE = [
    DemoPerson("steward", TEAM, Role.STEWARD),
    DemoPerson("reviewer", TEAM, Role.REVIEWER),
    DemoPerson("approver", TEAM, Role.APPROVER),
    DemoPerson("analyst", TEAM, Role.ANALYST),
    DemoPerson("administrator", TEAM, Role.ADMINISTRATOR),
    DemoPerson("outsider", OTHER_TEAM, Role.STEWARD),
]
