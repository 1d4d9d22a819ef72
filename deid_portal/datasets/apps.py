from django.apps import AppConfig


class DatasetsConfig(AppConfig):
    name = "deid_portal.datasets"
