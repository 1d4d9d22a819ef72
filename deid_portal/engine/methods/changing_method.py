"""Methods that change the cells of a draft themselves, by parameters declared as data."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import fields
from time import perf_counter
from typing import Any, Self

import numpy as np

from deid_portal.engine.documents import Place, plain_value, quoted
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.methods.method import Method
from deid_portal.engine.progress import Progress


class ChangingMethod(Method):
    """A frozen dataclass whose fields are its parameters, declared in `parameters`."""

    @classmethod
    def parse(cls, place: Place) -> Self:
        names = [parameter.name for parameter in cls.parameters]
        place.check_keys(required=("name",), optional=names)
        return cls(**{parameter.name: parameter.read(place) for parameter in cls.parameters})

    def to_document(self) -> dict[str, Any]:
        declared = {parameter.name for parameter in self.parameters}
        names = [field.name for field in fields(self) if field.name in declared]  # type: ignore[arg-type]
        chosen = {name: getattr(self, name) for name in names}
        said = {name: plain_value(value) for name, value in chosen.items() if value is not None}
        return {"name": self.name, **said}

    def cautions(self) -> list[str]:
        found = (
            parameter.caution_for(getattr(self, parameter.name)) for parameter in self.parameters
        )
        return [sentence for sentence in found if sentence]

    def apply(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        progress.report(0, 1, "protect")
        started = perf_counter()
        before = len(draft.steps)
        changed = self.change(draft, generator, progress)
        figures = {key: value for step in changed.steps[before:] for key, value in step.items()}
        seconds = round(perf_counter() - started, 3)
        progress.report(1, 1, "protect")
        return changed.with_step(before, {"method": self.name, **figures, "seconds": seconds})

    @abstractmethod
    def change(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        """Return the changed draft; `noting` adds figures for the report."""


def check_known_columns(place: Place, names: Iterable[str], roles: Mapping[str, str]) -> None:
    """Refuse columns the plan does not have, and identifiers, which do not leave as they are."""
    known = [name for name, role in roles.items() if role != "identifier"]
    if not all(name in known for name in names):
        place.refuse(f"columns that are no identifiers are accepted; the plan has {quoted(known)}.")
