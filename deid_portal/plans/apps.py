from django.apps import AppConfig


class PlansConfig(AppConfig):
    name = "deid_portal.plans"

    def ready(self) -> None:
        from deid_portal.datasets.table_hooks import forget_with_the_table
        from deid_portal.plans.on_deletion import forget_protection

        forget_with_the_table(forget_protection)
