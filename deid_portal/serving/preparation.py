"""Bring the database, the static files and the demo up to date before anything serves."""

import hashlib
import io
from contextlib import suppress

import django
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, connections

from deid_portal.serving.key_rotation import rotate
from deid_portal.serving.readiness import NotReady, check_ready_to_serve
from deid_portal.vault.key_check import may_hold_values_of_before
from deid_portal.vault.vault import DamagedFile
from deid_portal.work.queue import is_queue_reachable

QUEUE_SCHEMES = ("redis://", "rediss://", "redis+socket://")


def check_servers_reachable() -> None:
    """Refuse to start without the servers that DATABASE_URL and REDIS_URL name."""
    if settings.REDIS_URL and not settings.REDIS_URL.startswith(QUEUE_SCHEMES):
        raise NotReady("REDIS_URL must begin with redis:// or rediss://.")
    if settings.REDIS_URL and not is_queue_reachable():
        raise NotReady(
            "The queue that REDIS_URL names cannot be reached. Start it, correct the address, "
            "or leave REDIS_URL out to use the embedded one."
        )
    try:
        connection.ensure_connection()
    except DatabaseError as error:
        reason = str(error).strip().splitlines()[-1]
        raise NotReady(f"The database cannot be reached ({reason}). Check DATABASE_URL.") from None


def prepare() -> str:
    """Do what must be done before serving; return what the demo says about signing in."""
    call_command("migrate", interactive=False, verbosity=0)
    bind_what_is_of_before()
    collect_static_files()
    sign_ins = load_demo() if settings.DEMO else ""
    check_ready_to_serve()
    connections.close_all()
    return sign_ins


def bind_what_is_of_before() -> None:
    """Bind what an earlier version has sealed to its place; pages then open nothing else."""
    with suppress(ImproperlyConfigured, DamagedFile):  # what this is, the check says at the end
        if may_hold_values_of_before():
            rotate(lambda *_: None, at_start=True)


def load_demo() -> str:
    told = io.StringIO()
    try:
        call_command("demo", stdout=told)
    except CommandError as error:
        raise NotReady(f"The demo could not be loaded: {error}") from error
    return told.getvalue().strip("\n")


def collect_static_files() -> None:
    """Collect and compress, unless nothing has changed since the last time."""
    stamp = settings.STATIC_ROOT.with_name(f"{settings.STATIC_ROOT.name}.stamp")
    now = _fingerprint_of_static_files()
    if stamp.exists() and stamp.read_text() == now and settings.STATIC_ROOT.is_dir():
        return
    stamp.unlink(missing_ok=True)
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    stamp.write_text(now)


def _fingerprint_of_static_files() -> str:
    """Sum up names, sizes and times; reading every byte would cost what it is meant to save."""
    facts = [django.__version__, settings.STORAGES["staticfiles"]["BACKEND"]]
    for finder in get_finders():
        for name, storage in finder.list([]):
            found = storage.get_modified_time(name)
            facts.append(f"{name} {storage.size(name)} {found.timestamp()}")
    return hashlib.sha256("\n".join(sorted(facts)).encode()).hexdigest()
