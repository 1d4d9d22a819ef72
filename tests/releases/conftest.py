import pytest

from deid_portal.releases.models import Release
from tests import factories
from tests.conftest import Cast


@pytest.fixture
def release(cast: Cast, without_pdf: None) -> Release:
    """Approved and packed; the steward and the analyst are named, for 30 days and 3 times."""
    people = [cast.steward, cast.analyst]
    release = factories.make_release(cast.steward, cast.approver, cast.team, people)
    factories.pack(release)
    return release
