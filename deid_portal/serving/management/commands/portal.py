"""Run the whole portal in the foreground: broker, web server, worker and timer, until Ctrl-C."""

import http.client
import os
import socket
import sys
import time
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from typing import TextIO

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import BaseCommand

from deid_portal.environment import env_int, env_str
from deid_portal.serving.preparation import check_servers_reachable, prepare
from deid_portal.serving.readiness import NotReady, check_keys
from deid_portal.serving.reservations import (
    address_of_listener,
    hold_data_dir,
    open_port,
    write_address,
)
from deid_portal.serving.supervisor import Program, Supervisor, raise_on_stop_signals
from deid_portal.work import broker

BROKER_WAIT_SECONDS = 60  # a long append-only file takes time to read
WEB_WAIT_SECONDS = 120


class Command(BaseCommand):
    help = __doc__
    # The checks import every page; the web server runs on the same code and would not start either.
    requires_system_checks = []

    def handle(self, *args: object, **options: object) -> None:
        raise_on_stop_signals()
        # Logs, database and broker hold what only the owner may read.
        os.umask(0o077)
        # The programs find the code by their working folder, and the data by its full path.
        os.environ["DATA_DIR"] = str(settings.DATA_DIR)
        os.chdir(settings.PROJECT_DIR)
        try:
            with hold_data_dir(settings.DATA_DIR) as lock:
                self.run_until_stopped(lock)
        except (NotReady, ImproperlyConfigured, broker.BrokerMissing) as reason:
            self.stderr.write(str(reason))
            sys.exit(2)

    def run_until_stopped(self, lock: TextIO) -> None:
        self.supervisor = Supervisor(self.say)
        try:
            host = env_str("HOST", default="127.0.0.1")
            with open_port(host, env_int("PORT", default=8000)) as listener:
                write_address(lock, web_address(listener))
                self.serve(listener)
        except KeyboardInterrupt:
            self.say("Stopping.")
        finally:
            self.supervisor.stop(["web server", "timer"], ["worker"], ["broker"])

    def say(self, sentence: str) -> None:
        self.stdout.write(sentence)
        self.stdout.flush()

    def serve(self, listener: socket.socket) -> None:
        check_keys()
        sign_ins = self.prepare()
        self.supervisor.start(web_server(listener))
        self.wait_for("web server", WEB_WAIT_SECONDS, lambda: is_serving(listener))
        # After the pages, which people wait for; on two cores all at once would delay them.
        for program in background_programs():
            self.supervisor.start(program)
        self.greet(listener, sign_ins)
        self.supervisor.watch()

    def prepare(self) -> str:
        self.say("Preparing the database, the pages and the queue.")
        log_path("web").parent.mkdir(exist_ok=True)
        if settings.EMBEDDED_BROKER:
            command = broker.server_command(settings.BROKER_DIR)
            self.supervisor.start(Program("broker", command, log_path("broker")))
            self.wait_for(
                "broker", BROKER_WAIT_SECONDS, lambda: broker.is_answering(settings.BROKER_DIR)
            )
        check_servers_reachable()
        return prepare()

    def wait_for(self, name: str, seconds: float, is_there: Callable[[], bool]) -> None:
        deadline = time.monotonic() + seconds
        while not is_there():
            ended = self.supervisor.ended()
            if ended is not None:
                reason = last_line(ended.log)
                raise NotReady(f"The {ended.name} did not start: {reason}. See {ended.log}.")
            if time.monotonic() > deadline:
                raise NotReady(
                    f"The {name} does not answer. See the logs in {log_path('').parent}."
                )
            time.sleep(0.1)

    def greet(self, listener: socket.socket, sign_ins: str) -> None:
        if settings.DEMO and not is_loopback(listener):
            self.say("Caution: everybody who can reach this machine can sign in to the demo.")
        if settings.BEHIND_HTTPS and not settings.TRUSTED_PROXIES:
            self.say(
                "Caution: without TRUSTED_PROXIES everybody has the address of the proxy, "
                "and wrong passwords of all count together."
            )
        if sign_ins:
            self.say(f"Sign in with a name and password of the demo:\n{sign_ins}")
        self.say(f"Ctrl-C stops the portal; its logs are in {log_path('').parent}.")
        self.say(f"The portal is ready: {web_address(listener)}")


def log_path(name: str) -> Path:
    path: Path = settings.DATA_DIR / "logs" / f"{name}.log"
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1].strip().rstrip(".") if lines else "it said nothing"


def web_server(listener: socket.socket) -> Program:
    command = [sys.executable, "-m", "gunicorn", "deid_portal.wsgi"]
    command += ["--config", "python:deid_portal.serving.web_server"]
    command += ["--bind", f"fd://{listener.fileno()}"]
    return Program("web server", command, log_path("web"), keep_open=(listener.fileno(),))


def background_programs() -> list[Program]:
    celery = [sys.executable, "-m", "celery", "--app"]
    processes = str(max(1, env_int("WORKERS", default=2)))
    worker = ["worker", "--concurrency", processes, "--without-gossip", "--without-mingle"]
    # No pid file: one that is left over after a crash would keep the timer from starting.
    timer = ["beat", "--schedule", str(settings.DATA_DIR / "timer-schedule"), "--pidfile="]
    level = ["--loglevel", env_str("LOG_LEVEL", default="WARNING")]
    programs = [
        Program("worker", [*celery, "deid_portal.celery_app", *worker, *level], log_path("worker")),
        Program("timer", [*celery, "deid_portal.timer", *timer, *level], log_path("timer")),
    ]
    if settings.MAIL_IS_CONFIGURED:
        # Not the worker's: people want to hear of a run while the next ones are computed.
        mails = [sys.executable, "manage.py", "send_mails"]
        programs.append(Program("mail sender", mails, log_path("mails")))
    return programs


def web_address(listener: socket.socket) -> str:
    host, port = address_of_listener(listener)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_loopback(listener: socket.socket) -> bool:
    return ip_address(listener.getsockname()[0]).is_loopback


def is_serving(listener: socket.socket) -> bool:
    """Ask /healthz as a visitor would, under a host name that ALLOWED_HOSTS accepts."""
    names = [name.lstrip(".") for name in settings.ALLOWED_HOSTS if name != "*"]
    host, port = address_of_listener(listener)
    web = http.client.HTTPConnection(host, port, timeout=5)
    try:
        web.request("GET", "/healthz", headers={"Host": names[0]} if names else {})
        return web.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        web.close()
