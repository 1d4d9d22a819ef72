"""The real settings with a private folder, quick passwords and no queue.

A test that needs the queue starts the real portal (`tests/launcher/portal.py`).
"""

import atexit
import base64
import os
import shutil
import tempfile

# Per process, so that parallel tests share nothing; first, because other settings follow from it.
_folder = tempfile.mkdtemp(prefix="deid-portal-tests-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["DATA_DIR"] = _folder
# What a developer has set for their own portal must not reach the tests.
for _name in (
    "DEMO",
    "DEBUG",
    "DATABASE_URL",
    "REDIS_URL",
    "ALLOWED_HOSTS",
    "BEHIND_HTTPS",
    "TRUSTED_PROXIES",
    "SIGN_IN_ATTEMPTS",
    "SIGN_IN_WAIT_MINUTES",
    "SOURCE_HOSTS",
):
    os.environ.pop(_name, None)

from deid_portal.environment import database_from_url  # noqa: E402
from deid_portal.settings import *  # noqa: E402, F403
from deid_portal.settings import DATABASES, STATIC_ROOT, STORAGES  # noqa: E402

SECRET_KEY = "only for tests, and long enough to sign sessions"
DATA_KEY = base64.b64encode(b"only for tests, 32 bytes, really").decode()

# A file and not memory: heartbeats are written from a thread with a connection of its own.
# TEST_DATABASE_URL runs the tests on PostgreSQL.
if os.environ.get("TEST_DATABASE_URL"):
    DATABASES = {"default": database_from_url(os.environ["TEST_DATABASE_URL"], STATIC_ROOT)}
else:
    DATABASES["default"]["TEST"] = {"NAME": f"{_folder}/test.sqlite3"}
    DATABASES["default"]["OPTIONS"]["init_command"] += "PRAGMA synchronous=OFF;"

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
STATIC_ROOT.mkdir()
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True

# Nobody listens there, and a socket that does not exist fails at once.
CELERY_BROKER_URL = f"redis+socket://{_folder}/nobody.sock?virtual_host=0"

# Tests change the world and look again within the same second.
GLANCE_SECONDS = 0
