#!/usr/bin/env python
"""The door for people at a terminal: set-up, chores, and the engine without a browser."""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deid_portal.settings")
    execute_from_command_line(sys.argv)
