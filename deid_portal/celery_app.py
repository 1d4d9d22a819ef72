"""The queue. Started as `celery -A deid_portal.celery_app`; task modules import `app` from here.

What a worker does when it starts and ends is connected by serving/apps.py.
"""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deid_portal.settings")

app = Celery("deid_portal")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
