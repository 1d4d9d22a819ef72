from django.apps import AppConfig


class PseudonymsConfig(AppConfig):
    name = "deid_portal.pseudonyms"

    def ready(self) -> None:
        from deid_portal.datasets.table_hooks import forget_with_the_table
        from deid_portal.pseudonyms.services import forget_ways_back

        forget_with_the_table(forget_ways_back)
