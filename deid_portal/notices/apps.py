from django.apps import AppConfig


class NoticesConfig(AppConfig):
    name = "deid_portal.notices"
