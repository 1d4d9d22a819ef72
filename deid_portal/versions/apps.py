from django.apps import AppConfig


class VersionsConfig(AppConfig):
    name = "deid_portal.versions"

    def ready(self) -> None:
        from deid_portal.datasets.table_hooks import (
            carry_to_the_next_version,
            forget_with_the_table,
        )
        from deid_portal.versions.carry_over import pack
        from deid_portal.versions.on_deletion import forget_in_the_next_version

        carry_to_the_next_version(pack)
        forget_with_the_table(forget_in_the_next_version)
