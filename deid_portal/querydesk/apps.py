from django.apps import AppConfig


class QuerydeskConfig(AppConfig):
    name = "deid_portal.querydesk"

    def ready(self) -> None:
        from deid_portal.datasets.table_hooks import forget_with_the_table
        from deid_portal.querydesk.on_deletion import close_with_the_table

        forget_with_the_table(close_with_the_table)
