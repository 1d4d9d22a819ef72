from django.apps import AppConfig


class ServingConfig(AppConfig):
    name = "deid_portal.serving"
