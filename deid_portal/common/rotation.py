"""Move everything from old data keys to the current one, while the portal runs.

Four kinds of things hang on the data key: the wrapped keys of folders, files of before folders had
keys, sealed fields in the database, and the seals of the audit record. Each is found by the name of
the key written in front of it, so a second run after an interruption only does what is left.
Nothing that people change at the same moment is overwritten: keys and files change under a lock,
and a field is exchanged only for exactly the bytes that were read.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.db import models, transaction
from django.db.models.functions import Substr

from deid_portal.audit.anchors import renew_anchors
from deid_portal.audit.heads import is_head_sealed_by_current_key
from deid_portal.audit.services import record_event
from deid_portal.common import vault
from deid_portal.common.folder_keys import (
    KeyDestroyed,
    is_wrapped_by_current,
    list_folders,
    wrap_again,
)
from deid_portal.common.keys import KEY_NAME_BYTES, current_key, key_name
from deid_portal.common.sealing import SealedBytes, SealedJSONField, seal, unseal

Progress = Callable[[str, int, int], None]
UNREADABLE = (ImproperlyConfigured, vault.DamagedFile, KeyDestroyed, InvalidTag)


@dataclass
class Rotation:
    """What was moved to the current key, and what could not be opened with any key listed."""

    keys: int = 0
    files: int = 0
    fields: int = 0
    unreadable: list[str] = field(default_factory=list)
    # Written with an old key while this was at work, by a process that was not restarted.
    late: int = 0

    @property
    def is_complete(self) -> bool:
        return not self.unreadable and not self.late

    @property
    def moved(self) -> int:
        return self.keys + self.files + self.fields


def rotate(progress: Progress) -> Rotation:
    """Move what is left; writes an audit record when there was anything."""
    done = Rotation()
    done.keys = _each("keys of folders", _folders_under_old_keys(), wrap_again, done, progress)
    # Writing a file anew gives its folder a key, wrapped by the current one from the start.
    done.files = _each("files", vault.list_old_files(), vault.write_anew, done, progress)
    for model, name in sealed_fields():
        label = f"{model._meta.label} {name}"
        rows = _rows_under_old_keys(model, name)
        done.fields += _each(label, rows, _seal_again(model, name), done, progress)
    seals_renewed = renew_anchors()
    done.late = max(count_left() - len(done.unreadable), 0)
    # Any record seals the end of the audit chain with the current key.
    if done.moved or seals_renewed or not is_head_sealed_by_current_key():
        _record(done)
    return done


def count_left() -> int:
    """Count what the current key does not open."""
    rows = sum(len(_rows_under_old_keys(model, name)) for model, name in sealed_fields())
    return len(_folders_under_old_keys()) + len(vault.list_old_files()) + rows


def _folders_under_old_keys() -> list[str]:
    return [folder for folder in list_folders() if not is_wrapped_by_current(folder)]


def _each(
    what: str,
    items: Iterable[object],
    move: Callable[[str], bool],
    done: Rotation,
    progress: Progress,
) -> int:
    """Move items one by one; one that cannot be opened is noted and the others go on."""
    names = [str(item) for item in items]
    moved = 0
    for number, name in enumerate(names, start=1):
        try:
            moved += move(name)
        except UNREADABLE:
            done.unreadable.append(f"{what}: {name}")
        progress(what, number, len(names))
    return moved


def sealed_fields() -> Iterator[tuple[type[models.Model], str]]:
    """Yield every sealed field of every model; a new one is rotated without being named here."""
    for model in apps.get_models():
        for one in model._meta.get_fields():
            if isinstance(one, SealedJSONField):
                yield model, one.name


def _rows_under_old_keys(model: type[models.Model], name: str) -> list[object]:
    """Return the ids of rows whose field another key than the current one has sealed."""
    closed_by = Substr(name, 1, KEY_NAME_BYTES, output_field=models.BinaryField())
    rows = model._default_manager.exclude(**{name: None}).annotate(closed_by=closed_by)
    return list(rows.exclude(closed_by=key_name(current_key())).values_list("pk", flat=True))


def _seal_again(model: type[models.Model], name: str) -> Callable[[str], bool]:
    rows = model._default_manager

    def seal_again(key: str) -> bool:
        sealed = rows.filter(pk=key).values_list(name, flat=True).first()
        if sealed is None:
            return False
        renewed = SealedBytes(seal(unseal(sealed)))
        # Somebody may have saved the row since; then it is already under the current key.
        return bool(rows.filter(pk=key, **{name: sealed}).update(**{name: renewed}))

    return seal_again


@transaction.atomic
def _record(done: Rotation) -> None:
    record_event(
        "data_key.rotated",
        actor=None,
        team=None,
        subject=None,
        facts={
            "key": key_name(current_key()).hex(),
            "folder_keys": done.keys,
            "files": done.files,
            "fields": done.fields,
            "unreadable": len(done.unreadable),
        },
    )
