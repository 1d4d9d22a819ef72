"""The base of models that compare a release with a table of the population."""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Self

from deid_portal.engine.documents import Place
from deid_portal.engine.privacy.model import PrivacyModel, WholeTable
from deid_portal.engine.privacy.population import Population
from deid_portal.engine.table.patterns import Classes
from deid_portal.engine.table.table import Counts
from deid_portal.engine.taxonomies.recipe import ReadFile

COUNTS_PEOPLE = "it counts people of a population table"


class PopulationModel(PrivacyModel):
    """A model with the parameter `population`, a file; `people` is what was read from it."""

    needs_besides: ClassVar[str] = COUNTS_PEOPLE
    population: str
    people: Population | None

    def with_files(self, place: Place, read_file: ReadFile | None) -> Self:
        return replace(self, people=Population.read(place["population"], read_file))  # type: ignore[type-var]

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        if self.people is not None:
            self.people.check_columns(place["population"], roles)

    def count_people(self, classes: Classes, whole: WholeTable) -> Counts:
        """Return how many people of the population look like each class."""
        assert self.people is not None  # noqa: S101 - read with the plan
        return self.people.count(classes, whole.original)
