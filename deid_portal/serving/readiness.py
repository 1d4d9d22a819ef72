"""May this portal serve people? Asked by the launcher, the web server and every worker at start.

What must never happen: real data behind keys or passwords that everybody knows. The demo marks its
keys and its people; outside the demo, one of them left over is a reason not to start.
"""

import fcntl
import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connections

from deid_portal.engine.compiled.light_start import start_lightly
from deid_portal.environment import DEMO_KEY_PREFIX
from deid_portal.vault import vault
from deid_portal.vault.key_check import may_hold_values_of_before
from deid_portal.vault.keys import decode_key

HOW_TO_MAKE = {
    "SECRET_KEY": "python -c 'import secrets; print(secrets.token_urlsafe(48))'",
    "DATA_KEY": "python -c 'import base64, os; print(base64.b64encode(os.urandom(32)).decode())'",
}


SHORTEST_SECRET = 32


# First the work that may be waiting; portals that soon stop need not begin.
SECONDS_BEFORE_THE_REST = 90
LOW_PRIORITY = 5  # of 19; more is more patient. A third of what a page gets, where both want all
LOWEST_PRIORITY = 15


class NotReady(Exception):  # noqa: N818
    """The portal must not start like this; the message says what to do."""


def check_ready_to_serve() -> None:
    """Refuse missing, malformed or demo keys, and people of the demo; costs one query."""
    check_no_debugging()
    check_keys()
    check_no_demo_people()
    check_data_can_be_opened()


def check_no_debugging() -> None:
    """Django's pages about errors show local variables, and with them cells of the table."""
    if settings.DEBUG and not settings.DEMO:
        raise NotReady("DEBUG=1 shows people's data on error pages. Leave it out for real use.")


def check_keys() -> None:
    for name, command in HOW_TO_MAKE.items():
        key = _key(name)
        if not key:
            raise NotReady(f"{name} is missing. Make one with: {command}")
        if key.startswith(DEMO_KEY_PREFIX) and not settings.DEMO:
            raise NotReady(f"{name} is a key of the demo. Make one of your own with: {command}")
    if len(_key("SECRET_KEY")) < SHORTEST_SECRET:
        command = HOW_TO_MAKE["SECRET_KEY"]
        raise NotReady(f"SECRET_KEY is too short to be safe. Make one with: {command}")
    for key in [settings.DATA_KEY, *settings.DATA_KEY_OLD]:
        try:
            decode_key(key)
        except ImproperlyConfigured as error:
            raise NotReady(f"{error} Make one with: {HOW_TO_MAKE['DATA_KEY']}") from None
    if settings.SIGNING_KEY:
        check_signing_key()


def check_signing_key() -> None:
    try:
        decode_key(settings.SIGNING_KEY)
    except ImproperlyConfigured:
        raise NotReady(
            "SIGNING_KEY must be 32 random bytes in base64, or empty. "
            f"Make one with: {HOW_TO_MAKE['DATA_KEY']}"
        ) from None


def _key(name: str) -> str:
    # Django raises on an empty SECRET_KEY instead of handing it over.
    try:
        return str(getattr(settings, name))
    except ImproperlyConfigured:
        return ""


def check_no_demo_people() -> None:
    if settings.DEMO:
        return
    try:
        left_over = get_user_model().objects.filter(is_demo=True, is_active=True).exists()
    except DatabaseError:
        raise NotReady(
            "The database cannot be read. Check that it is running and that DATABASE_URL is right, "
            "and set it up with: python manage.py migrate"
        ) from None
    if left_over:
        raise NotReady(
            "There are accounts of the demo in the database, with passwords that everybody knows. "
            "Remove them with: python manage.py demo --remove"
        )


def check_data_can_be_opened() -> None:
    """Refuse a key that does not open what is already stored, before every page fails on it."""
    try:
        of_before = may_hold_values_of_before()
    except (ImproperlyConfigured, vault.DamagedFile):
        raise NotReady(
            "DATA_KEY does not open the data in DATA_DIR, which was written with another key. "
            "List that key in DATA_KEY_OLD, or choose an empty DATA_DIR."
        ) from None
    if of_before:
        raise NotReady(
            "What is stored was encrypted by an earlier version, which did not bind it to its "
            "place. Bind it, once, with: python manage.py rotate_data_key"
        )


def stop_unready_worker(**_: object) -> None:
    """End a Celery worker that must not serve; connected to its first signal."""
    try:
        check_ready_to_serve()
    except NotReady as reason:
        sys.stderr.write(f"{reason}\n")
        # Celery logs an ordinary exception of a signal and starts the worker all the same.
        raise SystemExit(2) from None
    finally:
        # The pool is forked next, and a connection cannot be shared between processes.
        connections.close_all()


def step_back_for_the_pages(**_: object) -> None:
    """Let people who wait for a page go before runs; connected to the start of a worker.

    A run takes as long as before where nothing else wants the processor.
    """
    os.setpriority(os.PRIO_PROCESS, 0, LOW_PRIORITY)
    # Linux may share out the processor by session first (each program of the launcher has its own)
    # and look at priorities only within one; then the session has to step back as a whole.
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(LOW_PRIORITY))


def warm_up_before_work(**_: object) -> None:
    """Compile the engine's loops, or load them from disk; connected to the start of a worker.

    Its pool processes are forked with all of it loaded, so that one that is replaced is there at
    once. One worker at a time: others then find on disk what the first has compiled.
    """
    # The web server imports this module and compiles nothing: it need not load every method.
    from deid_portal.engine.kernel_warm_up import warm_up_usual

    settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
    with (settings.DATA_DIR / "warming.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        start_lightly()
        warm_up_usual()


def warm_up_the_rest(**_: object) -> None:
    """Compile what only some methods need, while work is done; connected to a pool process."""
    threading.Thread(target=_warm_up_the_rest, daemon=True).start()


def _warm_up_the_rest() -> None:
    from deid_portal.engine.kernel_warm_up import warm_up_rest

    time.sleep(SECONDS_BEFORE_THE_REST)
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST_PRIORITY)
    with (settings.DATA_DIR / "warming-rest.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return  # another process is at it
        warm_up_rest()
