from django.apps import AppConfig


class PoliciesConfig(AppConfig):
    name = "deid_portal.policies"
