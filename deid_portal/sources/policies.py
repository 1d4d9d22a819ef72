"""Which servers the portal may connect to, and when a fetch may start or stop.

Other systems of the internal network may trust the portal, so users must not make it connect to
servers of their choice: it only connects to those the administrator lists in SOURCE_HOSTS.
"""

from typing import NamedTuple

from django.conf import settings

from deid_portal.sources.models import Connection, Fetch
from deid_portal.web.refusals import Refused

SWITCHED_OFF = (
    "Reading from databases is switched off: the administrator of this portal has not allowed any "
    "server (setting SOURCE_HOSTS)."
)


class Server(NamedTuple):
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def allowed_servers() -> list[Server]:
    return [Server(*server) for server in settings.SOURCE_HOSTS]


def check_some_server_is_allowed() -> None:
    if not settings.SOURCE_HOSTS:
        raise Refused(SWITCHED_OFF)


def check_server_is_allowed(server: Server) -> None:
    check_some_server_is_allowed()
    if server not in allowed_servers():
        raise Refused(
            "The portal may not connect to this server any more. Ask the administrator of the "
            "portal to allow it again (setting SOURCE_HOSTS)."
        )


def check_can_be_used(connection: Connection) -> None:
    address = connection.address
    check_server_is_allowed(Server(address.host, address.port))


def check_not_being_used(connection: Connection) -> None:
    if any(fetch.is_open for fetch in Fetch.objects.filter(connection=connection)):
        raise Refused("A table is being copied over this connection. Stop that first.")
