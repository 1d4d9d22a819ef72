import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.journeys.browsing import open_browser
from tests.launcher.running import RunningPortal, prepared_demo, running_portal


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningPortal]:
    """The real portal with its demo; a dead worker is noticed quickly here."""
    settings = {"WORK_STALE_SECONDS": "3", "WORK_SWEEP_SECONDS": "1", "WORK_HEARTBEAT_SECONDS": "1"}
    data_dir = tmp_path_factory.mktemp("portal") / "data"
    shutil.copytree(prepared_demo(), data_dir)
    with running_portal(data_dir, DEMO="1", **settings) as portal:
        yield portal


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Module-wide, so that no event loop is left running for the database tests that follow."""
    with open_browser() as browser:
        yield browser
