from django.apps import AppConfig


class ServingConfig(AppConfig):
    name = "deid_portal.serving"

    def ready(self) -> None:
        from deid_portal.serving.worker_signals import connect_worker_signals

        # Celery sets Django up before it sends the first of them.
        connect_worker_signals()
