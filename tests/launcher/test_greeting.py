import io
import socket

import pytest
from pytest_django import Settings

from deid_portal.serving.management.commands.portal import Command


@pytest.mark.parametrize(("proxies", "is_warned"), [(0, True), (1, False)])
def test_a_proxy_that_hides_everybody_is_pointed_out(
    settings: Settings, proxies: int, is_warned: bool
) -> None:
    settings.BEHIND_HTTPS, settings.TRUSTED_PROXIES = True, proxies
    said = io.StringIO()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        Command(stdout=said).greet(listener, "")
    assert ("wrong passwords of all count together" in said.getvalue()) == is_warned
