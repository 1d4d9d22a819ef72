"""Attacks: one file each, found here by name. Run against a release, with the original as truth.

Attacks on answers (differencing, averaging, reconstruction, auditing) take an answering function
instead of a release and stand in their own files.
"""

from deid_portal.engine.attacks.attack import Attack, AttackResult, AttackSetting
from deid_portal.engine.attacks.background_knowledge import BackgroundKnowledge
from deid_portal.engine.attacks.distance_linkage import DistanceLinkage
from deid_portal.engine.attacks.downcoding import Downcoding
from deid_portal.engine.attacks.homogeneity import Homogeneity
from deid_portal.engine.attacks.inference import Inference
from deid_portal.engine.attacks.intersection import Intersection
from deid_portal.engine.attacks.interval_disclosure import IntervalDisclosureAttack
from deid_portal.engine.attacks.membership import MembershipInference
from deid_portal.engine.attacks.outside_linkage import OutsideLinkage
from deid_portal.engine.attacks.record_linkage import RecordLinkage
from deid_portal.engine.attacks.similarity import Similarity
from deid_portal.engine.attacks.singling_out import SinglingOut
from deid_portal.engine.attacks.skewness import Skewness
from deid_portal.engine.attacks.worst_case_linkage import WorstCaseLinkage

ATTACKS: dict[str, type[Attack]] = {
    attack.name: attack
    for attack in (
        RecordLinkage,
        DistanceLinkage,
        WorstCaseLinkage,
        Homogeneity,
        BackgroundKnowledge,
        Similarity,
        Skewness,
        IntervalDisclosureAttack,
        MembershipInference,
        SinglingOut,
        Inference,
        Downcoding,
        Intersection,
        OutsideLinkage,
    )
}

__all__ = ["ATTACKS", "Attack", "AttackResult", "AttackSetting"]
