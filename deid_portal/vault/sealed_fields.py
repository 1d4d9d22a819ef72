"""Documents that may hold cell values (profiles, taxonomies, plans), encrypted in the database.

A stolen database must not reveal the content of tables. For code, `SealedJSONField` is a JSON
field; in the database it is random bytes, which cannot be searched.

Encrypted values are bound to their place: table, column and row are authenticated together with the
content. So nobody who can write to the database can make one team's secret, plan or report appear
as another's by copying bytes. A row is identified by its id or, if the database assigns the id on
insertion, by its unique columns (`sealed_to` of the model), which never change.

Values of a version that did not bind them are accepted only by `rotate_data_key`, which binds them.
If reading accepted both forms, an old value could be copied anywhere for ever. Whether a portal may
still have such values is decided by a file that cannot be made without its data key
(`vault/key_check.py`).
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from django.apps import apps
from django.db import models
from django.db.models.query_utils import DeferredAttribute

from deid_portal.vault.keys import current_key, decrypt, encrypt, key_name

MAGIC = b"DPS2"
PURPOSE = "sealed at its place"
PURPOSE_OF_BEFORE = "sealed field"


class SealedElsewhere(Exception):  # noqa: N818
    """A sealed value is of a version that did not bind values, so it may come from any place."""


def seal(clear: bytes, place: str) -> bytes:
    return MAGIC + encrypt(clear, PURPOSE, place.encode())


def unseal(sealed: bytes, place: str) -> bytes:
    """Decrypt a value of this place; raises `InvalidTag` for a value of another place."""
    if not is_bound(sealed):
        raise SealedElsewhere
    return decrypt(sealed[len(MAGIC) :], PURPOSE, place.encode())


def is_bound(sealed: bytes) -> bool:
    return sealed.startswith(MAGIC)


def unseal_of_before(sealed: bytes) -> bytes:
    """Decrypt a value that is not bound to a place. Only to be used for binding it."""
    return decrypt(sealed, PURPOSE_OF_BEFORE, None)


def seal_again(sealed: bytes, place: str, *, of_before: bool) -> bytes:
    """Seal a value again with the current key; with `of_before` also an unbound one."""
    is_old = of_before and not is_bound(sealed)
    return seal(unseal_of_before(sealed) if is_old else unseal(sealed, place), place)


def sealed_now() -> bytes:
    """Return the first bytes of everything that is sealed with the current key and bound."""
    return MAGIC + key_name(current_key())


class SealedBytes(bytes):
    """An encrypted document as it is stored in the database."""


# The default that a migration gives all rows of a table with a new column. It is not sealed, so
# only migrations and `rotate_data_key` accept it, like values of earlier versions.
DEFAULT = SealedBytes(b"")


class _UnsealedOnce(DeferredAttribute):
    """Descriptor that decrypts a document on first access, so that lists of rows decrypt none."""

    field: "SealedJSONField"

    def __set__(self, instance: Any, value: Any) -> None:
        # With __set__ Python calls __get__ even if the instance has the attribute.
        instance.__dict__[self.field.attname] = value

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        name, held = self.field.attname, instance.__dict__
        if name not in held:
            held[name] = self._load(instance)
        if isinstance(held[name], SealedBytes):
            held[name] = self.field.open(instance, held[name])
        return held[name]

    def _load(self, instance: Any) -> Any:
        """Load a deferred document, together with the columns of its place, in one query."""
        rows = type(instance)._base_manager.using(instance._state.db).filter(pk=instance.pk)
        return rows.values_list(self.field.attname, flat=True).get()


class SealedJSONField(models.BinaryField):  # type: ignore[type-arg]
    """A JSON document that is encrypted in the database."""

    descriptor_class = _UnsealedOnce

    def seal_for(self, instance: models.Model, value: Any) -> SealedBytes | None:
        """Seal a document for its place in a row."""
        if value is None:
            return None
        clear = json.dumps(value, ensure_ascii=False).encode()
        return SealedBytes(seal(clear, self.place_in(instance)))

    def open(self, instance: models.Model, sealed: SealedBytes) -> Any:
        if _is_of_a_migration(instance) and not is_bound(sealed):
            return self.get_default() if sealed == DEFAULT else json.loads(unseal_of_before(sealed))
        return json.loads(unseal(sealed, self.place_in(instance)))

    def place_in(self, instance: models.Model) -> str:
        return json.dumps([instance._meta.db_table, self.column, *_row_of(instance)])

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        return self.seal_for(model_instance, super().pre_save(model_instance, add))

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        if value is not None and not isinstance(value, SealedBytes):
            if not self.has_default() or value != self.get_default():
                raise TypeError("What is sealed belongs to its row: save the row.")
            value = DEFAULT
        return super().get_db_prep_value(value, connection, prepared)

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return None if value is None else SealedBytes(value)

    def value_to_string(self, obj: models.Model) -> str:
        raise TypeError("Sealed fields are not serialized.")


class JsonDocument(Protocol):
    """What is read from a JSON document and written to one, such as a report."""

    @classmethod
    def from_document(cls, document: Any) -> Self: ...

    def to_document(self) -> dict[str, Any]: ...


Kept = TypeVar("Kept", bound=JsonDocument | None)


class _ReadOnce(_UnsealedOnce):
    """Read a document when somebody looks at it."""

    field: "SealedObjectField[Any]"

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        found = super().__get__(instance, owner)
        if instance is not None and isinstance(found, Mapping):
            found = instance.__dict__[self.field.attname] = self.field.kind.from_document(found)
        return found


class SealedObjectField(SealedJSONField, Generic[Kept]):
    """An object that is kept as a sealed JSON document; a migration knows it as that alone."""

    descriptor_class = _ReadOnce
    kind: type[JsonDocument]

    if TYPE_CHECKING:  # a subclass says what it keeps: `SealedObjectField[Report | None]`

        def __get__(self, instance: Any, owner: Any) -> Kept: ...  # type: ignore[override]
        def __set__(self, instance: Any, value: Kept) -> None: ...

    def deconstruct(self) -> Any:
        name, _, args, options = super().deconstruct()
        return name, f"{SealedJSONField.__module__}.{SealedJSONField.__qualname__}", args, options

    def seal_for(self, instance: models.Model, value: Any) -> SealedBytes | None:
        is_object = value is not None and not isinstance(value, Mapping)
        return super().seal_for(instance, value.to_document() if is_object else value)


def names_of_place(model: type[models.Model]) -> tuple[str, ...]:
    """Return the attributes that identify a row: its id, or `sealed_to` of the model."""
    names: tuple[str, ...] = getattr(_present(model), "sealed_to", ("pk",))
    return names


def _row_of(instance: models.Model) -> list[str]:
    return [_text(_value_of(instance, name)) for name in names_of_place(type(instance))]


def _value_of(instance: models.Model, name: str) -> Any:
    if _is_of_a_migration(instance) and not hasattr(instance, name):
        # A column added by a later migration, with this default in every row.
        column: models.Field[Any, Any] = _present(type(instance))._meta.get_field(name)  # type: ignore[assignment]
        return column.get_default()
    return getattr(instance, name)


def _present(model: type[models.Model]) -> type[models.Model]:
    """Return the real model for a historical model of a migration, which has columns only."""
    return apps.get_registered_model(model._meta.app_label, model._meta.object_name or "")


def sealed_values(instance: models.Model, values: dict[str, Any]) -> dict[str, Any]:
    """Seal the values of sealed fields, for an update without saving the row."""
    fields = {name: instance._meta.get_field(name) for name in values}
    return {
        name: field.seal_for(instance, values[name])
        if isinstance(field, SealedJSONField)
        else values[name]
        for name, field in fields.items()
    }


def _is_of_a_migration(instance: models.Model) -> bool:
    return type(instance).__module__ == "__fake__"


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    return str(value)
