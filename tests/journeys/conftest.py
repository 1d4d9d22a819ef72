import shutil
from collections.abc import Generator, Iterator

import pytest
from playwright.sync_api import Browser

from tests.journeys.browser import open_browser
from tests.journeys.reset import begin_again
from tests.launcher.portal import RunningPortal, prepared_demo, running_portal

# However slow a worker is, it is not taken for dead; `test_work_survives.py` kills one and says so.
QUICK = {
    "WORK_STALE_SECONDS": "90",
    "WORK_ATTEMPTS": "50",
    "WORK_SWEEP_SECONDS": "1",
    "WORK_RESEND_SECONDS": "3",
    "WORK_HEARTBEAT_SECONDS": "1",
}


@pytest.fixture(scope="package")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningPortal]:
    data_dir = tmp_path_factory.mktemp("portal") / "data"
    shutil.copytree(prepared_demo(), data_dir)
    with running_portal(data_dir, DEMO="1", **QUICK) as portal:
        yield portal


@pytest.fixture(scope="module")
def portal(running: RunningPortal) -> RunningPortal:
    """The real portal, with the demo as it is after a first start."""
    begin_again(running, prepared_demo())
    return running


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show what the portal logged last where a journey fails."""
    report = yield
    portal = getattr(item, "funcargs", {}).get("portal")
    if report.failed and isinstance(portal, RunningPortal):
        for log in sorted((portal.data_dir / "logs").glob("*.log")):
            report.sections.append((log.name, "\n".join(log.read_text().splitlines()[-40:])))
    return report


@pytest.fixture(scope="package")
def open_window() -> Iterator[Browser]:
    """Package-wide, so that no event loop is left running for the database tests that follow."""
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def browser(open_window: Browser) -> Iterator[Browser]:
    yield open_window
    for context in open_window.contexts:  # pages that stay open go on asking
        context.close()
