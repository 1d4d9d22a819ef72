"""Whether passkeys work: browsers need a host name, and HTTPS or localhost."""

from collections.abc import Callable
from functools import partial
from ipaddress import IPv4Address, IPv6Address, ip_address

from django.http import HttpRequest
from django.http.request import split_domain_port


def passkey_refusal(request: HttpRequest) -> str:
    """Say why no passkey can be used under the address of this page; empty where one can."""
    host, port = split_domain_port(request.get_host())
    number = _as_number(host)
    if number and number.is_loopback:
        here = f"http://localhost:{port}" if port else "http://localhost"
        return f"For passkeys, open the portal as {here}: browsers offer them to names only."
    if number:
        return "For passkeys, open the portal by its name: browsers offer them to no number."
    if not request.is_secure() and not host.endswith("localhost"):
        return "For passkeys, open the portal over HTTPS: browsers offer them nowhere else."
    return ""


def passkeys(request: HttpRequest) -> dict[str, Callable[[], str]]:
    """Context processor for templates with a passkey button; evaluated lazily."""
    return {"passkey_refusal": partial(passkey_refusal, request)}


def _as_number(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host.strip("[]"))
    except ValueError:
        return None
