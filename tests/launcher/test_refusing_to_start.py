"""Each reason not to start is one sentence that says what to do, and exit code 2."""

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from pytest_django import Settings

from deid_portal.serving.management.commands import portal as portal_command
from deid_portal.serving.readiness import NotReady, check_keys, check_ready_to_serve
from tests.launcher.portal import REAL_KEYS, ROOT, environment, manage, prepared_demo
from tests.patience import PATIENCE


def refusal_of_portal(data_dir: Path, **settings: str) -> str:
    portal = manage("portal", data_dir=data_dir, **settings)
    assert portal.returncode == 2, portal.stderr
    assert len(portal.stderr.strip().splitlines()) == 1, portal.stderr
    return portal.stderr


Refusal = Callable[[], str]


@pytest.fixture
def refusal(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Refusal]:
    """The command in this process, which spares loading the portal; a test then changes a setting.

    What it changes for all that it would start is put back.
    """
    monkeypatch.setattr(portal_command, "raise_on_stop_signals", lambda: None)
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.setenv("PORT", "0")
    mask = os.umask(0o077)

    def ask() -> str:
        said = io.StringIO()
        with pytest.raises(SystemExit) as ended:
            call_command(portal_command.Command(), stderr=said)
        assert ended.value.code == 2
        assert len(said.getvalue().strip().splitlines()) == 1, said.getvalue()
        return said.getvalue()

    yield ask
    os.umask(mask)


def test_without_keys(tmp_path: Path) -> None:
    assert refusal_of_portal(tmp_path).startswith("SECRET_KEY is missing. Make one with: python")


def test_with_the_demo_keys(refusal: Refusal, settings: Settings) -> None:
    settings.DATA_KEY = f"demo-{REAL_KEYS['DATA_KEY']}"
    assert "DATA_KEY is a key of the demo." in refusal()


def test_with_people_of_the_demo(tmp_path: Path) -> None:
    data_dir = shutil.copytree(prepared_demo(), tmp_path / "data")
    assert "python manage.py demo --remove" in refusal_of_portal(data_dir, **REAL_KEYS)


def test_with_a_queue_that_is_not_there(tmp_path: Path) -> None:
    sentence = refusal_of_portal(tmp_path, REDIS_URL="redis://:word@127.0.0.1:1/0", **REAL_KEYS)
    assert sentence.startswith("The queue that REDIS_URL names cannot be reached.")
    assert "word" not in sentence


def test_with_a_database_that_is_not_there(tmp_path: Path) -> None:
    url = "postgres://somebody:word@127.0.0.1:1/portal"
    sentence = refusal_of_portal(tmp_path, DATABASE_URL=url, **REAL_KEYS)
    assert sentence.startswith("The database cannot be reached")
    assert "word" not in sentence


@pytest.mark.parametrize("port", ["70000", "a lot"])
def test_with_an_impossible_port(
    refusal: Refusal, monkeypatch: pytest.MonkeyPatch, port: str
) -> None:
    monkeypatch.setenv("PORT", port)
    assert refusal().startswith("PORT must be")


def test_with_a_folder_that_cannot_be_made(
    refusal: Refusal, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    settings.DATA_DIR = tmp_path / "file" / "var"
    assert "cannot be used (Not a directory). Choose another with DATA_DIR." in refusal()


def test_a_worker_started_by_hand_refuses_too(tmp_path: Path) -> None:
    worker = subprocess.run(
        [sys.executable, "-m", "celery", "--app", "deid_portal.celery_app", "worker"],
        cwd=ROOT,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert worker.returncode == 2
    assert "SECRET_KEY is missing." in worker.stderr


@pytest.mark.parametrize(
    ("name", "key", "reason"),
    [
        ("SECRET_KEY", "", "SECRET_KEY is missing."),
        ("SECRET_KEY", "demo-key", "SECRET_KEY is a key of the demo."),
        ("DATA_KEY", "", "DATA_KEY is missing."),
        ("DATA_KEY", "bm90IGxvbmcgZW5vdWdo", "DATA_KEY must be 32 random bytes in base64."),
        ("DATA_KEY", "not base64!", "DATA_KEY must be 32 random bytes in base64."),
        ("DATA_KEY_OLD", ["not base64!"], "DATA_KEY must be 32 random bytes in base64."),
    ],
)
def test_keys_that_are_refused(settings: Settings, name: str, key: object, reason: str) -> None:
    setattr(settings, name, key)
    with pytest.raises(NotReady, match=reason):
        check_keys()


@pytest.mark.django_db
def test_people_of_the_demo_are_refused_only_outside_it(settings: Settings) -> None:
    get_user_model().objects.create_user("steward", is_demo=True)
    with pytest.raises(NotReady, match="demo --remove"):
        check_ready_to_serve()
    settings.DEMO = True
    check_ready_to_serve()


@pytest.mark.django_db
def test_people_of_the_demo_who_cannot_sign_in_do_no_harm() -> None:
    get_user_model().objects.create_user("steward", is_demo=True, is_active=False)
    check_ready_to_serve()
