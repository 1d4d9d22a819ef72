"""Whom a request comes from: a sender's own words about it are not believed."""

import pytest
from django.test import RequestFactory
from pytest_django import Settings

from deid_portal.web.addresses import UNKNOWN, client_address, network_of_client


def request_from(peer: str, forwarded: str = "") -> object:
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    return RequestFactory(headers=headers, REMOTE_ADDR=peer).get("/")


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2::3", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::9", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::3", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", UNKNOWN),
        ("@", UNKNOWN),
    ],
)
def test_what_belongs_to_the_same_people_is_one_network(address: str, network: str) -> None:
    assert network_of_client(request_from(address)) == network  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "203.0.113.1", "10.0.0.9"),
        (1, "", "10.0.0.9"),
        (1, "192.0.2.7", "192.0.2.7"),
        (1, "203.0.113.1, 192.0.2.7", "192.0.2.7"),
        (2, "203.0.113.1, 192.0.2.7, 10.0.0.8", "192.0.2.7"),
        (2, "192.0.2.7", "192.0.2.7"),
        (1, "192.0.2.7:51234", "192.0.2.7"),
        (1, "[2001:db8::7]:51234", "2001:db8::7"),
        (1, "somebody", ""),
    ],
)
def test_forwarded_addresses_are_believed_as_far_as_proxies_are_ours(
    settings: Settings, proxies: int, forwarded: str, address: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    assert client_address(request_from("10.0.0.9", forwarded)) == address  # type: ignore[arg-type]
