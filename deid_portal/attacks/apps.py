from django.apps import AppConfig


class AttacksConfig(AppConfig):
    name = "deid_portal.attacks"

    def ready(self) -> None:
        from deid_portal.attacks.on_deletion import forget_attacks
        from deid_portal.datasets.table_hooks import forget_with_the_table

        forget_with_the_table(forget_attacks)
