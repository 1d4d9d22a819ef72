from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "deid_portal.web"
