"""What a run keeps of what it releases."""

from dataclasses import dataclass

from deid_portal.engine.publication import Publication


@dataclass(frozen=True, kw_only=True)
class StoredRelease:
    """The released rows in the vault and what leaves beside them: fields of the run, by name."""

    output_sha256: str
    output_bytes: int
    published: Publication
