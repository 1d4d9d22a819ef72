from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "deid_portal.accounts"

    def ready(self) -> None:
        # Signals of other apps' models: they can be imported only now.
        from deid_portal.accounts import receivers

        receivers.connect()
