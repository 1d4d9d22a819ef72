"""A file that every start opens: does the data key fit, and is everything bound to its place?

The first start writes it. It is written like everything else, so it tells how this portal seals:
its own key is bound to its folder, or it is of a version that did not bind anything. In the latter
case alone there may be values that are bound to no place, and binding them is the first thing to be
done (`rotation.py`). When that is done, this file is written anew, and from then on nothing that is
bound to no place is ever opened again.

The database would be the wrong place for this mark: who can write there could take it away and
paste old values in. A missing file means that everything is bound. To bring the state of before
back, somebody needs the file and its key as they were before, and can do nothing with them once the
data key has been changed. Binding leaves an audit record each time.
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
        raise vault.DamagedFile  # another file of before, which would open under any name
    return of_before


def mark_everything_as_bound() -> None:
    vault.delete(KEY_CHECK)
    with vault.VaultWriter(KEY_CHECK) as writer:
        writer.write(CONTENT)
