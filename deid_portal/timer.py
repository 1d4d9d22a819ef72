"""The clock, started as `celery -A deid_portal.timer beat`: says when something is due.

It sends the names of tasks and runs none, so it loads neither them nor the portal around them.
"""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deid_portal.settings")

app = Celery("deid_portal", fixups=[])  # Celery's usual one would set Django up
app.config_from_object("django.conf:settings", namespace="CELERY")
