"""The queue. Started as `celery -A deid_portal.celery_app`; task modules import `app` from here."""

import os

from celery import Celery
from celery.signals import worker_init, worker_process_init, worker_shutting_down

from deid_portal.engine.tether import tie_every_fork
from deid_portal.serving.readiness import (
    step_back_for_the_pages,
    stop_unready_worker,
    warm_up_before_work,
    warm_up_the_rest,
)
from deid_portal.work.workers import say_that_the_worker_stops, say_that_we_work

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deid_portal.settings")

app = Celery("deid_portal")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

worker_init.connect(stop_unready_worker)
# Else a pool process in the middle of a task outlives a killed worker, and the task runs twice.
worker_init.connect(tie_every_fork)
# What follows holds for the pool processes, too, which are forked then.
worker_init.connect(step_back_for_the_pages)
# The compiled loops are made or loaded before the first task, not while somebody waits for it.
worker_init.connect(warm_up_before_work)
worker_process_init.connect(warm_up_the_rest)
worker_process_init.connect(say_that_we_work)
worker_shutting_down.connect(say_that_the_worker_stops)
