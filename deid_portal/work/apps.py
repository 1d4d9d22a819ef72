from django.apps import AppConfig


class WorkConfig(AppConfig):
    name = "deid_portal.work"
