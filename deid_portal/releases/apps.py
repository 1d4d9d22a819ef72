from django.apps import AppConfig


class ReleasesConfig(AppConfig):
    name = "deid_portal.releases"
