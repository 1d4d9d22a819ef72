from django.apps import AppConfig


class TaxonomiesConfig(AppConfig):
    name = "deid_portal.taxonomies"
