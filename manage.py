#!/usr/bin/env python
"""The door for people at a terminal: set-up, chores, and the engine without a browser."""

import os
import sys
from importlib import import_module

# These ask neither settings nor database, so they start without loading the portal around them.
ENGINE_COMMANDS = ("protect", "assess", "answer")


def main(arguments: list[str]) -> None:
    name = arguments[1] if len(arguments) > 1 else ""
    if name in ENGINE_COMMANDS:
        commands = import_module(f"deid_portal.commands.management.commands.{name}")
        commands.Command().run_from_argv(arguments)
    else:
        run_portal_command(arguments)


def run_portal_command(arguments: list[str]) -> None:
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deid_portal.settings")
    try:
        execute_from_command_line(arguments)
    except ImproperlyConfigured as error:
        # A setting that makes no sense is the reader's to mend; a trace would hide the sentence.
        sys.stderr.write(f"{error}\n")
        sys.exit(2)


if __name__ == "__main__":
    main(sys.argv)
