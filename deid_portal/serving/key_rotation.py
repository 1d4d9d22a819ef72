"""Move everything from old data keys to the current one, while the portal runs.

The data key protects five kinds of data: the wrapped keys of folders, files from versions without
keys of folders, sealed fields in the database, secrets of second factors, and the seals of the
audit record. Each has the name of its key in front, so that a second run after an interruption
continues with the rest. Concurrent changes by people are not overwritten: keys, files and second
factors are changed under a lock, and a field is replaced only if it still has the bytes that were
read.

It also binds data sealed by earlier versions to its place (`vault/sealed_fields.py`,
`vault/chunks.py`).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from cryptography.exceptions import InvalidTag
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.db import models, transaction
from django.db.models.functions import Substr

from deid_portal.accounts.sealed_factors import list_under_old_keys, renew_secrets
from deid_portal.audit.anchors import anchor_chain
from deid_portal.audit.heads import is_head_sealed_by_current_key
from deid_portal.audit.services import record_event
from deid_portal.audit.verification import renew_verification
from deid_portal.vault import vault
from deid_portal.vault.folder_keys import (
    KeyDestroyed,
    is_of_before,
    is_wrapped_by_current,
    list_folders,
    wrap_again,
)
from deid_portal.vault.key_check import (
    KEY_CHECK,
    mark_everything_as_bound,
    may_hold_values_of_before,
)
from deid_portal.vault.keys import current_key, key_name
from deid_portal.vault.sealed_fields import (
    DEFAULT,
    SealedBytes,
    SealedElsewhere,
    SealedJSONField,
    names_of_place,
    seal_again,
    sealed_now,
)

Progress = Callable[[str, int, int], None]
UNREADABLE = (
    ImproperlyConfigured,
    vault.DamagedFile,
    KeyDestroyed,
    InvalidTag,
    SealedElsewhere,
)


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


def rotate(progress: Progress, *, of_before: bool = False, at_start: bool = False) -> Rotation:
    """Move what is left; writes an audit record when there was anything.

    What is bound to no place is taken where the portal has not bound everything yet, or if told.
    The start of a portal moves only what would not open otherwise: writing every file anew would
    keep people waiting.
    """
    is_upgrade = may_hold_values_of_before()
    of_before = of_before or is_upgrade
    done = Rotation()
    for kind in _kinds(of_before, at_start):
        moved = _each(kind.label, kind.list_left(), kind.move, done, progress)
        setattr(done, kind.counted_as, getattr(done, kind.counted_as) + moved)
    if is_upgrade:
        mark_everything_as_bound()
    renew_verification()
    done.late = max(count_left() - len(done.unreadable), 0)
    # Any record seals the end of the audit chain with the current key, and the end vouches for
    # every note outside the database; a new note vouches for them as well.
    if done.moved or not is_head_sealed_by_current_key():
        _record(done, of_before)
        anchor_chain()
    return done


def count_left() -> int:
    """Count what is not sealed at its place with the current key."""
    return sum(len(kind.list_left()) for kind in _kinds(of_before=False, at_start=False))


@dataclass(frozen=True)
class _Kind:
    """One kind of thing that hangs on the data key: what is left of it, and how one is moved."""

    label: str
    counted_as: str
    list_left: Callable[[], Sequence[object]]
    move: Callable[[str], bool]


def _kinds(of_before: bool, at_start: bool) -> Iterator[_Kind]:
    wrap = partial(wrap_again, of_before=of_before)
    yield _Kind("keys of folders", "keys", _folders_under_old_keys, wrap)
    # Writing a file anew gives its folder a key, wrapped by the current one from the start.
    write = partial(vault.write_anew, of_before=of_before)
    yield _Kind("files", "files", _keyless_files if at_start else _old_files, write)
    for model, name in sealed_fields():
        left = partial(_rows_under_old_keys, model, name)
        again = partial(_seal_again, model, name, of_before)
        yield _Kind(f"{model._meta.label} {name}", "fields", left, again)
    renew = partial(renew_secrets, of_before=of_before)
    yield _Kind("second factors", "fields", list_under_old_keys, renew)


def _folders_under_old_keys() -> list[str]:
    folders = [folder for folder in list_folders() if not is_wrapped_by_current(folder)]
    return [folder for folder in folders if not _is_the_mark(folder)]


def _old_files() -> list[str]:
    return [name for name in vault.list_old_files() if not _is_the_mark(name)]


def _keyless_files() -> list[str]:
    return [name for name in _old_files() if vault.is_keyless(name)]


def _is_the_mark(name: str) -> bool:
    """Say whether this is the file that tells of an upgrade to be done; it changes at the end."""
    return name == KEY_CHECK and (is_of_before(KEY_CHECK) or vault.is_keyless(KEY_CHECK))


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
    """Return the ids of rows whose field is not sealed at its place by the current key."""
    beginning = Substr(name, 1, len(sealed_now()), output_field=models.BinaryField())
    rows = model._default_manager.exclude(**{name: None})
    # What is empty has no beginning to compare with.
    is_left = models.Q(**{name: DEFAULT}) | ~models.Q(beginning=sealed_now())
    left = rows.annotate(beginning=beginning).filter(is_left)
    return list(left.values_list("pk", flat=True))


def _seal_again(model: type[models.Model], name: str, of_before: bool, key: str) -> bool:
    rows = model._default_manager.filter(pk=key)
    row = rows.only(name, *names_of_place(model)).first()
    if row is None or row.__dict__[name] is None:
        return False
    one, sealed = model._meta.get_field(name), row.__dict__[name]
    assert isinstance(one, SealedJSONField)  # noqa: S101 - for the type checker
    if of_before and sealed == DEFAULT:
        renewed = one.seal_for(row, one.get_default())
    else:
        renewed = SealedBytes(seal_again(sealed, one.place_in(row), of_before=of_before))
    # Somebody may have saved the row since; then it is already under the current key.
    return bool(rows.filter(**{name: sealed}).update(**{name: renewed}))


@transaction.atomic
def _record(done: Rotation, of_before: bool) -> None:
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
            "of_before": of_before,
        },
    )
