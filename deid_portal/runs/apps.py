from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "deid_portal.runs"
