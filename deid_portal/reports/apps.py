from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "deid_portal.reports"
