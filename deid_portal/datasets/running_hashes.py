"""The hashes of files on their way in, kept up piece by piece so that the end need not wait.

They are in the memory of one process, each under the state of the file that it is the hash of
(`vault/growing_files.py`), so none can be taken for another file's. Where pieces went to several
processes, or the portal was restarted meanwhile, the file is hashed from the vault at its end.
"""

import hashlib
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING

from deid_portal.vault import vault
from deid_portal.vault.growing_files import state_of

if TYPE_CHECKING:
    from hashlib import _Hash

MOST_KEPT = 64
COPY_BYTES = 1024 * 1024

_running: "OrderedDict[bytes, Future[_Hash]]" = OrderedDict()
_lock = Lock()
_hasher = ThreadPoolExecutor(1)  # one, so that pieces are hashed in the order they came


def go_on(piece: bytes, *, before: bytes | None, after: bytes) -> None:
    """Hash a piece that brings a file from one state to another, beside what else is to be done.

    The first piece of a file comes from None.
    """
    with _lock:
        earlier = None if before is None else _running.pop(before, None)
        if before is not None and earlier is None:
            return  # what came before it was not hashed here
        _running[after] = _hasher.submit(_update, earlier, piece)
        while len(_running) > MOST_KEPT:
            _running.popitem(last=False)


def _update(earlier: "Future[_Hash] | None", piece: bytes) -> "_Hash":
    digest = hashlib.sha256() if earlier is None else earlier.result()
    digest.update(piece)
    return digest


def finish(stored_as: str) -> str:
    """Return the hash of a file that is whole."""
    with _lock:
        found = _running.get(state_of(stored_as))
    return found.result().hexdigest() if found is not None else _hash_stored(stored_as)


def _hash_stored(name: str) -> str:
    digest = hashlib.sha256()
    with vault.open_reader(name) as reader:
        while block := reader.read(COPY_BYTES):
            digest.update(block)
    return digest.hexdigest()
