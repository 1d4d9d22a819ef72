from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    name = "deid_portal.reviews"

    def ready(self) -> None:
        from deid_portal.attacks.attack_hooks import react_to_ended_attacks
        from deid_portal.datasets.table_hooks import forget_with_the_table
        from deid_portal.reviews.notifications import tell_if_attacks_got_through
        from deid_portal.reviews.on_deletion import withdraw_open_requests

        forget_with_the_table(withdraw_open_requests)
        react_to_ended_attacks(tell_if_attacks_got_through)
