"""What the models have in common whose k says among how many people everybody hides."""

from dataclasses import dataclass
from typing import ClassVar

from deid_portal.engine.parameters import Declared
from deid_portal.engine.privacy.kinds import IDENTITY, AttackModel, Disclosure
from deid_portal.engine.privacy.model import LOOK_ALIKES, PrivacyModel


@dataclass(frozen=True)
class LookAlikesModel(PrivacyModel):
    """k and nothing else, against finding somebody's record; a coarser table is never worse."""

    k: int

    addresses: ClassVar[tuple[AttackModel, ...]] = (AttackModel.RECORD_LINKAGE,)
    disclosure: ClassVar[Disclosure] = IDENTITY
    look_alikes: ClassVar[str] = "k"
    parameters: ClassVar[tuple[Declared, ...]] = (LOOK_ALIKES,)
    is_monotone = True
    is_monotone_per_record = True
