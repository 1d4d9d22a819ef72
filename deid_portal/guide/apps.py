from django.apps import AppConfig


class GuideConfig(AppConfig):
    name = "deid_portal.guide"
