from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "deid_portal.runs"

    def ready(self) -> None:
        from deid_portal.datasets.table_hooks import forget_with_the_table
        from deid_portal.runs.on_deletion import forget_results

        forget_with_the_table(forget_results)
