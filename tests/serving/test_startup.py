"""Keys and modes with which the portal must not start."""

import pytest
from pytest_django import Settings

from deid_portal.serving.readiness import NotReady, check_data_can_be_opened, check_no_debugging

OTHER_KEY = "bmV3IGtleSwgYWxzbyB0aGlydHktdHdvIGJ5dGVzISE="


def test_a_key_that_does_not_open_the_data_is_refused(settings: Settings) -> None:
    check_data_can_be_opened()
    check_data_can_be_opened()
    old, settings.DATA_KEY = settings.DATA_KEY, OTHER_KEY
    with pytest.raises(NotReady, match="DATA_KEY does not open the data"):
        check_data_can_be_opened()
    settings.DATA_KEY_OLD = [old]
    check_data_can_be_opened()


def test_debugging_with_real_data_is_refused(settings: Settings) -> None:
    settings.DEBUG = True
    with pytest.raises(NotReady, match="DEBUG=1"):
        check_no_debugging()
    settings.DEMO = True
    check_no_debugging()
