from django.apps import AppConfig


class NetworksConfig(AppConfig):
    name = "deid_portal.networks"

    def ready(self) -> None:
        from deid_portal.datasets.table_hooks import forget_with_the_table
        from deid_portal.networks import network_subject, planned_network, reading  # noqa: F401 - they register
        from deid_portal.networks.on_deletion import forget_network

        forget_with_the_table(forget_network)
