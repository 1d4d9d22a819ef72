"""The cast, always the same: the steward, her teammate, and the outsider who must see nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.test import Client
from hypothesis import settings as hypothesis_settings
from pytest_django import Settings

from deid_portal.accounts.models import Role, Team, User
from tests import factories

# The same examples every time, and no clock: a busy machine must not turn a test red.
hypothesis_settings.register_profile("gate", deadline=None, derandomize=True)
hypothesis_settings.load_profile("gate")


@dataclass(frozen=True)
class Cast:
    team: Team
    steward: User
    teammate: User
    reviewer: User
    approver: User
    analyst: User
    administrator: User
    outsider: User


@pytest.fixture(autouse=True)
def own_data_dir(settings: Settings, tmp_path: Path) -> None:
    """Every test keeps its files to itself and does a worker's work in its own thread."""
    settings.DATA_DIR = tmp_path
    settings.WORK_HEARTBEAT_SECONDS = 0


@pytest.fixture
def cast(db: None) -> Cast:
    team = factories.make_team()
    other = factories.make_team("Another office")
    return Cast(
        team=team,
        steward=factories.make_person("steward", team, Role.STEWARD),
        teammate=factories.make_person("teammate", team, Role.STEWARD),
        reviewer=factories.make_person("reviewer", team, Role.REVIEWER),
        approver=factories.make_person("approver", team, Role.APPROVER),
        analyst=factories.make_person("analyst", team, Role.ANALYST),
        administrator=factories.make_person("administrator", team, Role.ADMINISTRATOR),
        outsider=factories.make_person("outsider", other, Role.STEWARD),
    )


@pytest.fixture
def signed_in() -> Callable[[User], Client]:
    def sign_in(user: User) -> Client:
        client = Client(raise_request_exception=True)
        client.force_login(user)
        return client

    return sign_in
