"""The report as typed dataclasses that are read from JSON and written to it."""

from deid_portal.engine.report.part import NotTold, Part, written
from deid_portal.engine.report.report import NO_DETAILS, HouseDetails, Report

__all__ = ["NO_DETAILS", "HouseDetails", "NotTold", "Part", "Report", "written"]
