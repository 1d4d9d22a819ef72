#!/usr/bin/env python
"""The door for people at a terminal: set-up, chores, and the engine without a browser."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deid_portal.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        # A setting that makes no sense is the reader's to mend; a trace would hide the sentence.
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
