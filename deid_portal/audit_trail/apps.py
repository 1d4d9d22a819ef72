from django.apps import AppConfig


class AuditTrailConfig(AppConfig):
    name = "deid_portal.audit_trail"
