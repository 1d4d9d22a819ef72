"""Hashes of uploads, updated with every piece, so that the end need not wait for them.

They are kept in the memory of a process by the state of the file they belong to
(`vault/growing_files.py`), so none can be used for another file. If pieces went to several
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
_hasher = ThreadPoolExecutor(1)  # one thread, so that pieces are hashed in order


def go_on(piece: bytes, *, before: bytes | None, after: bytes) -> None:
    """Hash, in a thread, a piece that changes a file from one state to another.

    The state before the first piece is None.
    """
    with _lock:
        earlier = None if before is None else _running.pop(before, None)
        if before is not None and earlier is None:
            return  # earlier pieces were not hashed in this process
        _running[after] = _hasher.submit(_update, earlier, piece)
        while len(_running) > MOST_KEPT:
            _running.popitem(last=False)


def _update(earlier: "Future[_Hash] | None", piece: bytes) -> "_Hash":
    digest = hashlib.sha256() if earlier is None else earlier.result()
    digest.update(piece)
    return digest


def finish(stored_as: str) -> str:
    """Return the hash of a complete file."""
    with _lock:
        found = _running.get(state_of(stored_as))
    return found.result().hexdigest() if found is not None else _hash_stored(stored_as)


def _hash_stored(name: str) -> str:
    digest = hashlib.sha256()
    with vault.open_reader(name) as reader:
        while block := reader.read(COPY_BYTES):
            digest.update(block)
    return digest.hexdigest()
