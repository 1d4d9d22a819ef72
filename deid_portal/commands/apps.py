from django.apps import AppConfig


class CommandsConfig(AppConfig):
    name = "deid_portal.commands"
