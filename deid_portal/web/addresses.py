"""The network address of a request, as far as it can be trusted."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from django.conf import settings
from django.http import HttpRequest

UNKNOWN = "unknown"
IPV6_PREFIX = 64  # the prefix that one household or office gets


def client_address(request: HttpRequest) -> str:
    """Return the address of the client, or an empty text if it cannot be determined.

    Each proxy appends the address it was called from. As many entries as there are trusted proxies
    were written by them; entries left of these may be forged by the client.
    """
    peer = request.META.get("REMOTE_ADDR", "")
    claimed = request.headers.get("X-Forwarded-For", "")
    chain = [*claimed.split(","), peer] if claimed else [peer]
    told = chain[max(0, len(chain) - 1 - settings.TRUSTED_PROXIES)]
    address = _parse(told.strip())
    return str(address) if address else ""


def network_of_client(request: HttpRequest) -> str:
    """Return the key for counting attempts: an IPv4 address, or the network of an IPv6 address."""
    address = _parse(client_address(request))
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, IPV6_PREFIX), strict=False))
    return str(address) if address else UNKNOWN


def _parse(text: str) -> IPv4Address | IPv6Address | None:
    """Read an address as proxies write it: bare, in brackets, with a port or without."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
