from django.apps import AppConfig


class VaultConfig(AppConfig):
    name = "deid_portal.vault"
