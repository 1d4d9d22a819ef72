from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    name = "deid_portal.reviews"
