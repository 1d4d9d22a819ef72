"""Journeys that follow each other share a portal and a browser: fixtures of this package."""
