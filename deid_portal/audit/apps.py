from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "deid_portal.audit"
