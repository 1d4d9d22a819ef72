from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "deid_portal.accounts"
