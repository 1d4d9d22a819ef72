from django.apps import AppConfig


class TaxonomiesConfig(AppConfig):
    name = "deid_portal.taxonomies"

    def ready(self) -> None:
        from deid_portal.datasets.table_hooks import forget_with_the_table
        from deid_portal.taxonomies.on_deletion import forget_taxonomies

        forget_with_the_table(forget_taxonomies)
