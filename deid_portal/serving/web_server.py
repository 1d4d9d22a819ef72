"""How gunicorn serves the portal: `gunicorn --config python:deid_portal.serving.web_server …`."""

import threading

from deid_portal.engine.tether import tie_every_fork
from deid_portal.serving.warm_up import load_the_rest, load_what_is_shared

worker_class = "gthread"
workers = 2
threads = 4
# Longer than pages wait between two polls, so that a watched run keeps one connection.
keepalive = 15
# A worker whose loop stood still for this long is replaced; a slow upload does not stop the loop.
timeout = 120
# On stopping, requests under way get this long; the launcher ends the whole group soon after.
graceful_timeout = 4
# The pages are imported once and shared by the workers, which halves the time to the first answer.
preload_app = True
loglevel = "warning"
# The control socket lives in the home folder, where two portals would fight over it.
control_socket_disable = True


def when_ready(server: object) -> None:
    """Import the pages before the first visitor asks, and leave no connection for two to share."""
    # Inside, because gunicorn reads this file before Django is set up.
    from django.db import connections
    from django.urls import get_resolver

    _ = get_resolver().url_patterns
    load_what_is_shared()
    connections.close_all()
    tie_every_fork()


def post_worker_init(worker: object) -> None:
    """Load compiled code beside the first pages; before the fork it would delay them.

    The database is held open from now on by the thread that lives as long as the process
    (environment.py says why).
    """
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM django_migrations")
    threading.Thread(target=load_the_rest, daemon=True).start()
