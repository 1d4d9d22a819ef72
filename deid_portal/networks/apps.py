from django.apps import AppConfig


class NetworksConfig(AppConfig):
    name = "deid_portal.networks"

    def ready(self) -> None:
        import deid_portal.networks.subjects  # noqa: F401 - says what networks are
        from deid_portal.datasets.table_hooks import forget_with_the_table
        from deid_portal.networks.on_deletion import forget_network

        forget_with_the_table(forget_network)
