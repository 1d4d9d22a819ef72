"""The report as classes: read from JSON, written to JSON, and asked for its entries by name."""

from deid_portal.engine.report.part import NotTold, Part, written
from deid_portal.engine.report.report import NO_DETAILS, HouseDetails, Report

__all__ = ["NO_DETAILS", "HouseDetails", "NotTold", "Part", "Report", "written"]
