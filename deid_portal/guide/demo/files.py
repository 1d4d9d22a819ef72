"""Files of the demo as uploads, sealed into the vault like any other."""

import hashlib
from uuid import uuid4

from deid_portal.datasets.sealed_upload import SealedUpload
from deid_portal.vault import vault


def store_file(name: str, content: bytes) -> SealedUpload:
    stored_as = f"incoming/demo-{uuid4()}"
    with vault.VaultWriter(stored_as) as writer:
        writer.write(content)
    return SealedUpload(name, stored_as, len(content), hashlib.sha256(content).hexdigest())
