from django.apps import AppConfig


class SourcesConfig(AppConfig):
    name = "deid_portal.sources"
