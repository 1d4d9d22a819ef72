"""Read settings from the environment, refusing odd values with a sentence."""

import base64
import json
import os
import re
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

DEMO_KEY_PREFIX = "demo-"


def env_str(name: str, *, default: str) -> str:
    return os.environ.get(name, "") or default


def env_bool(name: str, *, default: bool) -> bool:
    text = os.environ.get(name, "").lower()
    if text in ("", "0", "1", "true", "false", "yes", "no"):
        return default if text == "" else text in ("1", "true", "yes")
    raise ImproperlyConfigured(f"{name} must be 1 or 0.")


def env_int(name: str, *, default: int) -> int:
    text = os.environ.get(name, "")
    if not text:
        return default
    if not text.isdecimal():
        raise ImproperlyConfigured(f"{name} must be a whole number.")
    return int(text)


def env_list(name: str, *, default: list[str]) -> list[str]:
    text = os.environ.get(name, "")
    return [part.strip() for part in text.split(",") if part.strip()] if text else default


SERVER = re.compile(
    r"(?:\[(?P<v6>[0-9a-f:]+)\]|(?P<name>[a-z0-9_.-]+))(?::(?P<port>[0-9]{1,5}))?\Z"
)


def servers_from_list(texts: list[str], usual_port: int) -> list[tuple[str, int]]:
    """Take servers apart that are written as `host`, `host:port` or `[IPv6 address]:port`."""
    servers = []
    for text in texts:
        found = SERVER.match(text.lower())
        if found is None:
            raise ImproperlyConfigured("SOURCE_HOSTS must list servers as host or host:port.")
        servers.append((found["v6"] or found["name"], int(found["port"] or usual_port)))
    return servers


def database_from_url(url: str, sqlite_path: Path) -> dict[str, Any]:
    """Turn `postgres://user:password@host:port/name?sslmode=require` into Django's form."""
    if not url:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": sqlite_path,
            # Kept open, for the first to open the database makes files, which a full disk refuses
            # even to those who only read.
            "CONN_MAX_AGE": None,
            "OPTIONS": {
                # Writers queue up at BEGIN instead of failing half way; readers never wait (WAL).
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
            },
        }
    parts = urlsplit(url)
    if parts.scheme not in ("postgres", "postgresql"):
        raise ImproperlyConfigured(
            "DATABASE_URL must begin with postgres://; leave it out to use SQLite."
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": dict(parse_qsl(parts.query)),
    }


def demo_keys(data_dir: Path) -> dict[str, str]:
    """Return the demo's keys, made at the first start and marked so that real use refuses them."""
    path = data_dir / "demo-keys.json"
    if not path.exists():
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        keys = {
            "SECRET_KEY": DEMO_KEY_PREFIX + secrets.token_urlsafe(48),
            "DATA_KEY": DEMO_KEY_PREFIX + base64.b64encode(secrets.token_bytes(32)).decode(),
        }
        partial = path.with_suffix(f".{os.getpid()}")
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            json.dump(keys, file)
        # link() fails where replace() would overwrite: two first starts agree on one pair of keys.
        try:
            os.link(partial, path)
        except FileExistsError:
            pass
        finally:
            partial.unlink()
    keys_read: dict[str, str] = json.loads(path.read_text())
    return keys_read
