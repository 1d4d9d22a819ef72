from django.apps import AppConfig


class PlansConfig(AppConfig):
    name = "deid_portal.plans"
