"""What a plan may name is found under its own name."""

from collections.abc import Mapping

import pytest

from deid_portal.engine.methods import METHODS
from deid_portal.engine.privacy import MODELS
from deid_portal.engine.registry import Registry


@pytest.mark.parametrize("registry", [METHODS, MODELS], ids=["methods", "models"])
def test_every_class_has_the_name_it_is_found_by(registry: Mapping[str, type]) -> None:
    assert {name: found.name for name, found in registry.items()} == {  # type: ignore[attr-defined]
        name: name for name in registry
    }


def test_nothing_is_imported_to_see_which_names_there_are() -> None:
    registry: Registry[object] = Registry("no.such.package", {"one": "file.Class"})
    assert list(registry) == ["one"]
    assert "one" in registry
    assert "two" not in registry
    with pytest.raises(KeyError):
        registry["two"]
    with pytest.raises(ModuleNotFoundError):
        registry["one"]
