from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "deid_portal.accounts"

    def ready(self) -> None:
        # Imported here: the handlers need models, which are not loaded before.
        from deid_portal.accounts import receivers

        receivers.connect_receivers()
