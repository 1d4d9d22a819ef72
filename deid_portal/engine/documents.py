"""Reading a JSON document with errors that name the place: "columns.age.taxonomy: …"."""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NoReturn

from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.wording.words import listed

# Documents come from outside, and a sentence must stay one.
LONGEST_KEY, LONGEST_PATH = 60, 200
PLAN_VERSION = 1


class Place:
    """A value in a document together with the way to it."""

    def __init__(self, value: Any, path: str = "") -> None:
        self.value = value
        self.path = path

    def refuse(self, sentence: str) -> NoReturn:
        """Raise InvalidPlan with the place in front; `sentence` says what would be accepted."""
        path = self.path if len(self.path) <= LONGEST_PATH else f"…{self.path[-LONGEST_PATH:]}"
        raise InvalidPlan(f"{path}: {sentence}" if path else sentence)

    def __getitem__(self, key: str) -> "Place":
        """Return the place under a key; None stands there if the key is absent."""
        return Place(self.value.get(key), f"{self.path}.{key}" if self.path else key)

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def check_keys(self, required: Collection[str] = (), optional: Collection[str] = ()) -> None:
        """Refuse anything but an object with these keys; unknown keys are never ignored."""
        self.check_object()
        allowed = [*required, *optional]
        for key in self.value:
            if key not in allowed:
                shown = key if len(key) <= LONGEST_KEY else f"{key[:LONGEST_KEY]}…"
                self.refuse(f'"{shown}" is not known here; accepted are {quoted(allowed)}.')
        for key in required:
            if key not in self.value:
                self.refuse(f'"{key}" is missing; it is required here.')

    def check_object(self) -> None:
        if not isinstance(self.value, dict) or not all(isinstance(key, str) for key in self.value):
            self.refuse("an object with named entries is needed.")

    def entries(self) -> Iterator[tuple[str, "Place"]]:
        self.check_object()
        return ((key, self[key]) for key in self.value)

    def items(self) -> list["Place"]:
        if not isinstance(self.value, list):
            self.refuse("a list is needed.")
        return [Place(value, f"{self.path}[{index}]") for index, value in enumerate(self.value)]

    def text(self) -> str:
        if not isinstance(self.value, str) or not self.value:
            self.refuse("a text is needed.")
        return self.value

    def choice(self, choices: Collection[str]) -> str:
        if not isinstance(self.value, str) or self.value not in choices:
            self.refuse(f"accepted are {quoted(choices)}.")
        return self.value

    def integer(self) -> int:
        if isinstance(self.value, float) and self.value.is_integer():
            return int(self.value)
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            self.refuse("a whole number is needed.")
        return self.value

    def number(self) -> float | int:
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            self.refuse("a number is needed.")
        if self.value != self.value or self.value in (float("inf"), float("-inf")):
            self.refuse("a finite number is needed.")
        return self.value


def quoted(words: Collection[str]) -> str:
    """Join words for a sentence: "a", "b" and "c"."""
    return listed([f'"{word}"' for word in words])


def plain_value(value: Any) -> Any:
    """Return a value as a document holds it: lists for tuples, at any depth."""
    if isinstance(value, tuple):
        return [plain_value(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain_value(item) for key, item in value.items()}
    return value


def hash_document(document: Mapping[str, Any]) -> str:
    """Return the hash of a plan as it is written, whatever the order of its keys."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
