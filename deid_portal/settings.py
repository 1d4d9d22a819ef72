"""Settings, all from the environment; `.env.example` lists every one and a test compares the two.

Two ways to run: the demo (`make run`, DEMO=1) makes its own keys and people in DATA_DIR; for real
use SECRET_KEY and DATA_KEY must be given, and `common.startup` refuses to serve with anything left
of the demo.
"""

from pathlib import Path

from deid_portal.environment import (
    database_from_url,
    demo_keys,
    env_bool,
    env_int,
    env_list,
    env_str,
    servers_from_list,
)
from deid_portal.work.broker import socket_url

PROJECT_DIR = Path(__file__).resolve().parent.parent

DEMO = env_bool("DEMO", default=False)
DEBUG = env_bool("DEBUG", default=False)

# What the portal keeps outside the database: embedded broker, encrypted files, SQLite by default.
DATA_DIR = Path(env_str("DATA_DIR", default=str(PROJECT_DIR / "var"))).resolve()

# SECRET_KEY signs sessions; DATA_KEY (32 bytes, base64) encrypts uploads, results and everything
# else that holds cell values. Old data keys stay readable while listed in DATA_KEY_OLD.
SECRET_KEY = env_str("SECRET_KEY", default="")
DATA_KEY = env_str("DATA_KEY", default="")
DATA_KEY_OLD = env_list("DATA_KEY_OLD", default=[])
# Signs release packages: 32 random bytes in base64. Without it the portal makes a key of its own
# and keeps it in the vault.
SIGNING_KEY = env_str("SIGNING_KEY", default="")
if DEMO:
    _keys = demo_keys(DATA_DIR)
    SECRET_KEY = SECRET_KEY or _keys["SECRET_KEY"]
    DATA_KEY = DATA_KEY or _keys["DATA_KEY"]

# Notes about the audit record are kept apart from the database; empty: a file in DATA_DIR.
AUDIT_ANCHORS = env_str("AUDIT_ANCHORS", default="")

ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS", default=[])
# True when a proxy in front speaks HTTPS to people and tells us so in X-Forwarded-Proto.
BEHIND_HTTPS = env_bool("BEHIND_HTTPS", default=False)
if BEHIND_HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
    SECURE_HSTS_SECONDS = 31_536_000
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

# How many proxies of our own stand in front, each of which adds to X-Forwarded-For the address it
# was called from. The header is believed that far and no further (web/addresses.py).
TRUSTED_PROXIES = env_int("TRUSTED_PROXIES", default=0)

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "deid_portal.vault",
    "deid_portal.work",
    "deid_portal.web",
    "deid_portal.serving",
    "deid_portal.commands",
    "deid_portal.accounts",
    "deid_portal.audit",
    "deid_portal.audit_trail",
    "deid_portal.notices",
    "deid_portal.policies",
    "deid_portal.datasets",
    "deid_portal.sources",
    "deid_portal.pseudonyms",
    "deid_portal.taxonomies",
    "deid_portal.plans",
    "deid_portal.versions",
    "deid_portal.networks",
    "deid_portal.runs",
    "deid_portal.reports",
    "deid_portal.attacks",
    "deid_portal.querydesk",
    "deid_portal.reviews",
    "deid_portal.releases",
    "deid_portal.guide",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "deid_portal.datasets.sealed_upload.AbandonedUploadMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "deid_portal.accounts.second_factor.SecondFactorMiddleware",
    "deid_portal.accounts.known_devices.KnownDeviceMiddleware",
    "deid_portal.accounts.attempts.TooManyAttemptsMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "deid_portal.web.http.PrivatePagesMiddleware",
    "deid_portal.web.refusals.RefusalMiddleware",
    "deid_portal.datasets.kinds.OtherKindMiddleware",
]

ROOT_URLCONF = "deid_portal.urls"
WSGI_APPLICATION = "deid_portal.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [PROJECT_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "deid_portal.guide.frame.frame",
                "deid_portal.accounts.passkeys.passkeys",
            ],
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    ["django.template.loaders.filesystem.Loader"],
                )
            ],
        },
    }
]

DATABASE_URL = env_str("DATABASE_URL", default="")
DATABASES = {"default": database_from_url(DATABASE_URL, DATA_DIR / "portal.sqlite3")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "guide:home"
LOGOUT_REDIRECT_URL = "account_login"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
# The adapter has found whose name it is by then, so the exact name is looked up; allauth's own
# backend would let in neither of two accounts whose names differ in case.
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
# People sign in with their name; accounts are made by invitation only (accounts/adapters.py).
ACCOUNT_ADAPTER = "deid_portal.accounts.adapters.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_FORMS = {
    "login": "deid_portal.accounts.forms.SignInForm",
    "change_password": "deid_portal.accounts.forms.NewPasswordForm",
}
ACCOUNT_LOGOUT_REDIRECT_URL = LOGOUT_REDIRECT_URL
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 900
# After so many wrong tries one has to wait so long; how they are counted says accounts/attempts.py.
# allauth's own limits are off: they count requests of a whole network, right ones included, cannot
# say how long to wait, tell no known device from others, and fail where Redis does.
SIGN_IN_ATTEMPTS = max(1, env_int("SIGN_IN_ATTEMPTS", default=5))
SIGN_IN_WAIT_MINUTES = max(1, env_int("SIGN_IN_WAIT_MINUTES", default=15))
ACCOUNT_RATE_LIMITS = False
MFA_RATE_LIMITS = False
# The second factor: codes of an authenticator app, passkeys, and recovery codes for a lost phone.
MFA_ADAPTER = "deid_portal.accounts.adapters.SecondFactorAdapter"
MFA_FORMS = {
    "authenticate": "deid_portal.accounts.forms.SignInCodeForm",
    "reauthenticate": "deid_portal.accounts.forms.ConfirmCodeForm",
    "activate_totp": "deid_portal.accounts.forms.NewAppForm",
    "login_webauthn": "deid_portal.accounts.forms.SignInPasskeyForm",
    "authenticate_webauthn": "deid_portal.accounts.forms.SecondFactorPasskeyForm",
    "reauthenticate_webauthn": "deid_portal.accounts.forms.ConfirmPasskeyForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
# A phone may be half a minute off.
MFA_TOTP_TOLERANCE = 1
MFA_TOTP_ISSUER = "De-identification portal"
# Browsers allow passkeys over HTTPS, and over plain HTTP on localhost alone.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not BEHIND_HTTPS
SESSION_COOKIE_AGE = env_int("SESSION_HOURS", default=12) * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# No inline script or style anywhere, nothing from other hosts: the portal runs in a closed network.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:", "blob:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}

LANGUAGE_CODE = "en"
TIME_ZONE = env_str("TIME_ZONE", default="UTC")
USE_TZ = True
USE_I18N = False

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [PROJECT_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "deid_portal.serving.static_files.StaticFiles"},
}

# Uploads: the stream is cut off at the limit, so an over-long body never fills the disk.
UPLOAD_LIMIT_BYTES = env_int("UPLOAD_LIMIT_MB", default=512) * 1024 * 1024
FILE_UPLOAD_HANDLERS = ["deid_portal.datasets.sealed_upload.EncryptingUploadHandler"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000
DATA_UPLOAD_MAX_NUMBER_FILES = 2

# What one run may use; 0 means no limit.
RUN_MEMORY_MB = env_int("RUN_MEMORY_MB", default=4096)
RUN_MINUTES = env_int("RUN_MINUTES", default=60)

# PostgreSQL servers that tables may be read from; no other is ever connected to.
SOURCE_HOSTS = servers_from_list(env_list("SOURCE_HOSTS", default=[]), usual_port=5432)
SOURCE_LIMIT_SECONDS = env_int("SOURCE_LIMIT_SECONDS", default=1800)

# The queue. Without REDIS_URL the launcher starts an embedded Valkey on a private socket.
REDIS_URL = env_str("REDIS_URL", default="")
EMBEDDED_BROKER = not REDIS_URL
BROKER_DIR = DATA_DIR / "broker"
CELERY_BROKER_URL = REDIS_URL or socket_url(BROKER_DIR)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# Above the longest job: a shorter one would hand a task that is still being worked on to a second
# worker. Recovery does not depend on it; it works from the heartbeats in the database.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 24 * 3600,
    "socket_timeout": 5,
    "socket_connect_timeout": 2,
    # Whoever starts work must not be kept waiting for a queue that is away: one more try, no sleep.
    # What could not be sent is sent by the sweep; workers go on looking for the queue all the same.
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0,
    "interval_max": 0,
}
CELERY_TASK_PUBLISH_RETRY = False
# Redis hands out messages of priority 0, the usual one, before those of 6 and 9: a hundred waiting
# runs must not keep a file from being read, nor a dozen attacks, which nobody watches, a run. Which
# of the runs is next is not decided by the queue.
CELERY_TASK_ROUTES = {
    "deid_portal.runs.tasks.execute_run": {"priority": 6},
    "deid_portal.attacks.tasks.execute_attack": {"priority": 9},
}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# The very first start compiles the engine's loops, which takes longer than the usual four seconds.
CELERY_WORKER_PROC_ALIVE_TIMEOUT = 300
# A process that once held much memory is replaced after its work, lest the next run pays for it.
if RUN_MEMORY_MB:
    CELERY_WORKER_MAX_MEMORY_PER_CHILD = RUN_MEMORY_MB * 1024 // 2
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False

# What may be computed again at any time; each process remembers for itself, so that no page fails
# where Redis is away. What all processes must agree on is counted by accounts/attempt_counters.py.
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

# Pages that poll may show the queue as it was so long ago (web/short_cache.py); 0 looks each time.
GLANCE_SECONDS = 1

# A worker silent for this long is taken for dead, and its work is given to another.
WORK_HEARTBEAT_SECONDS = env_int("WORK_HEARTBEAT_SECONDS", default=2)
WORK_STALE_SECONDS = env_int("WORK_STALE_SECONDS", default=15)
WORK_SWEEP_SECONDS = env_int("WORK_SWEEP_SECONDS", default=5)
WORK_RESEND_SECONDS = env_int("WORK_RESEND_SECONDS", default=30)
WORK_ATTEMPTS = env_int("WORK_ATTEMPTS", default=3)
CELERY_BEAT_SCHEDULE = {
    "pick-up-forgotten-work": {
        "task": "deid_portal.work.tasks.pick_up_forgotten_work",
        "schedule": WORK_SWEEP_SECONDS,
        "options": {"expires": WORK_SWEEP_SECONDS},
    },
    "delete-results": {
        "task": "deid_portal.runs.tasks.delete_results",
        "schedule": 3600,
        "options": {"expires": 3600},
    },
    "expire-releases": {
        "task": "deid_portal.releases.tasks.expire_releases_that_are_over",
        "schedule": 300,
        "options": {"expires": 300},
    },
    "destroy-retired-keys": {
        "task": "deid_portal.pseudonyms.tasks.destroy_retired_keys",
        "schedule": 3600,
        "options": {"expires": 3600},
    },
    # Every few hours, so that a portal that is stopped at night verifies as well.
    "verify-audit-chain": {
        "task": "deid_portal.audit.tasks.verify_audit_chain",
        "schedule": 6 * 3600,
        "options": {"expires": 3600},
    },
    "remind-and-expire-requests": {
        "task": "deid_portal.reviews.tasks.remind_and_expire",
        "schedule": 3600,
        "options": {"expires": 3600},
    },
    "note-end-of-chain": {
        "task": "deid_portal.audit.tasks.note_end_of_chain",
        "schedule": 600,
        "options": {"expires": 600},
    },
    "delete-leftovers": {
        "task": "deid_portal.datasets.tasks.delete_leftovers",
        "schedule": 3600,
        "options": {"expires": 3600},
    },
}

# E-mail about what happened, only where a mail server and the portal's own address are given; a
# link without an address would help nobody. A mail server that does not answer holds up no worker.
EMAIL_HOST = env_str("EMAIL_HOST", default="")
EMAIL_PORT = env_int("EMAIL_PORT", default=587)
EMAIL_HOST_USER = env_str("EMAIL_USER", default="")
EMAIL_HOST_PASSWORD = env_str("EMAIL_PASSWORD", default="")
EMAIL_USE_TLS = env_bool("EMAIL_TLS", default=True)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env_str("EMAIL_FROM", default="deid-portal@localhost")
PORTAL_URL = env_str("PORTAL_URL", default="")
MAIL_IS_CONFIGURED = bool(EMAIL_HOST and PORTAL_URL)
if MAIL_IS_CONFIGURED:
    CELERY_BEAT_SCHEDULE["mail-due-notices"] = {
        "task": "deid_portal.notices.tasks.mail_due_notices",
        "schedule": 120,
        "options": {"expires": 120},
    }

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env_str("LOG_LEVEL", default="WARNING")},
}
