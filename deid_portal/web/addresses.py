"""Where a request comes from, as far as it can be believed."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from django.conf import settings
from django.http import HttpRequest

UNKNOWN = "unknown"
IPV6_PREFIX = 64  # what one household or office gets; all of it belongs to the same people


def client_address(request: HttpRequest) -> str:
    """Return the address of whoever sent a request, or nothing where that cannot be told.

    Each proxy adds, at the right, the address it was called from. So many entries as there are
    proxies of our own were written by them; what stands left of these, the sender may have made up.
    """
    peer = request.META.get("REMOTE_ADDR", "")
    claimed = request.headers.get("X-Forwarded-For", "")
    chain = [*claimed.split(","), peer] if claimed else [peer]
    told = chain[max(0, len(chain) - 1 - settings.TRUSTED_PROXIES)]
    address = _parse(told.strip())
    return str(address) if address else ""


def network_of(request: HttpRequest) -> str:
    """Return what tries are counted by: an IPv4 address, or the network of an IPv6 address."""
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
