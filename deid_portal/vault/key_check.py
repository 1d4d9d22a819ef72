"""A test file, read at every start: is the data key right, and is everything bound to its place?

The first start writes it. It is written like every file, so it shows how this portal encrypts: its
key is bound to its folder, or it is of a version that did not bind anything. Only in the latter
case there may be values that are not bound to a place, and binding them comes first
(`serving/key_rotation.py`). Then this file is written again, and from then on nothing unbound is
accepted any more.

The database would be the wrong place for this mark: whoever can write to it could remove the mark
and insert old values. A missing file means that everything is bound. Restoring the earlier state
would take the earlier file and its key, which are useless once the data key was changed. Every
binding leaves an audit record.
"""

from deid_portal.vault import vault
from deid_portal.vault.folder_keys import is_of_before

KEY_CHECK = "key-check"
CONTENT = b"written by the first start, opened by every later one"


def may_hold_values_of_before() -> bool:
    """Open the file, or write it at the first start.

    Raises `DamagedFile` or `ImproperlyConfigured` when the data key does not open it.
    """
    of_before = is_of_before(KEY_CHECK) or vault.is_keyless(KEY_CHECK)
    try:
        with vault.open_reader(KEY_CHECK, of_before=of_before) as stream:
            content = stream.read()
    except FileNotFoundError:
        mark_everything_as_bound()
        return False
    if content != CONTENT:
        raise vault.DamagedFile  # a file of an earlier version, valid under any name
    return of_before


def mark_everything_as_bound() -> None:
    vault.delete(KEY_CHECK)
    with vault.VaultWriter(KEY_CHECK) as writer:
        writer.write(CONTENT)
