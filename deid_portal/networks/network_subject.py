"""The subject of datasets that are networks."""

from collections.abc import Mapping
from typing import ClassVar

from deid_portal.datasets.subjects import Subject, SubjectKind


class NetworkSubject(Subject, kind=SubjectKind.NETWORK):
    noun, series_noun, unit, icon = "network", "network", "people", "network"
    contents, single = "people and their links", "a person or a link"
    never_shown = "No link is ever shown"
    place, list_page, upload_page = "Networks", "networks:list", "networks:new"
    pages: ClassVar[Mapping[str, str]] = {
        "preview": "networks:show",
        "reading": "networks:reading",
        "protection": "networks:protection",
        "document": "networks:document",
        "changes": "networks:changes",
    }
    release_ending = "zip"  # an archive of all files, so that one hash covers the whole release
    takes_seed = needs_taxonomies = treats_identifiers = leaves_people_out = False

    @property
    def page_after_reading(self) -> str:
        if self.dataset.file_format.get("header_is_guessed"):
            return "networks:show"  # where one is asked whether the first line is a header
        return "networks:changes" if self.dataset.previous_id else "networks:risk"

    @property
    def size_words(self) -> str:
        return f"{self.dataset.network.links:,} links"
