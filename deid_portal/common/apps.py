from django.apps import AppConfig


class CommonConfig(AppConfig):
    name = "deid_portal.common"
