"""Classes found by the name a plan uses, each imported when it is first asked for.

There are many, a plan names few, and whoever waits at a terminal waits for every import.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, TypeVar

T = TypeVar("T")


class Registry(Mapping[str, type[T]]):
    """Names in the order they are shown, each with its file and class in one package."""

    def __init__(self, package: str, places: Mapping[str, str]) -> None:
        self._package = package
        self._places = dict(places)

    def __getitem__(self, name: str) -> type[T]:
        module, _, class_name = self._places[name].rpartition(".")
        found: Any = getattr(import_module(f"{self._package}.{module}"), class_name)
        return found  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._places
