from django.apps import AppConfig


class PlansConfig(AppConfig):
    name = "deid_portal.plans"

    def ready(self) -> None:
        from deid_portal.datasets.table_hooks import forget_with_the_table
        from deid_portal.plans.on_deletion import forget_protection
        from deid_portal.plans.warm_up import load_models_and_methods, warm_up_estimates
        from deid_portal.serving.warm_up import load_before_the_fork, load_beside_the_first_pages

        forget_with_the_table(forget_protection)
        load_before_the_fork(load_models_and_methods)
        load_beside_the_first_pages(warm_up_estimates)
