"""Privacy models: one file each, found here by the name a plan uses."""

from deid_portal.engine.documents import Place
from deid_portal.engine.privacy.alpha_k_anonymity import AlphaKAnonymity
from deid_portal.engine.privacy.average_risk import AverageRisk
from deid_portal.engine.privacy.beta_likeness import BetaLikeness
from deid_portal.engine.privacy.c_t_isolation import CTIsolation
from deid_portal.engine.privacy.confidence_bounding import ConfidenceBounding
from deid_portal.engine.privacy.delta_disclosure import DeltaDisclosure
from deid_portal.engine.privacy.delta_presence import DeltaPresence
from deid_portal.engine.privacy.epsilon_m_anonymity import EpsilonMAnonymity
from deid_portal.engine.privacy.highest_risk import HighestRisk
from deid_portal.engine.privacy.interval_disclosure import IntervalDisclosure
from deid_portal.engine.privacy.k_anonymity import KAnonymity
from deid_portal.engine.privacy.k_concealment import KConcealment
from deid_portal.engine.privacy.k_confusion import KConfusion
from deid_portal.engine.privacy.k_e_anonymity import KEAnonymity
from deid_portal.engine.privacy.k_l_anonymity import KLAnonymity
from deid_portal.engine.privacy.k_map import KMap
from deid_portal.engine.privacy.l_diversity import LDiversity
from deid_portal.engine.privacy.lkc_privacy import LKCPrivacy
from deid_portal.engine.privacy.model import Original, PrivacyModel, Whole
from deid_portal.engine.privacy.multirelational_k_anonymity import MultirelationalKAnonymity
from deid_portal.engine.privacy.p_sensitive_k_anonymity import PSensitiveKAnonymity
from deid_portal.engine.privacy.personalized_privacy import PersonalizedPrivacy
from deid_portal.engine.privacy.population_uniqueness import PopulationUniqueness
from deid_portal.engine.privacy.re_identification import ReIdentification
from deid_portal.engine.privacy.result_privacy import ResultPrivacy
from deid_portal.engine.privacy.sample_uniqueness import SampleUniqueness
from deid_portal.engine.privacy.sensitive import SensitiveColumn
from deid_portal.engine.privacy.t_closeness import TCloseness
from deid_portal.engine.privacy.x_y_privacy import XYPrivacy
from deid_portal.engine.taxonomies.recipe import ReadFile

MODELS: dict[str, type[PrivacyModel]] = {
    model.name: model
    for model in (
        KAnonymity,
        PSensitiveKAnonymity,
        LDiversity,
        TCloseness,
        AlphaKAnonymity,
        ConfidenceBounding,
        KEAnonymity,
        EpsilonMAnonymity,
        BetaLikeness,
        DeltaDisclosure,
        KLAnonymity,
        LKCPrivacy,
        XYPrivacy,
        MultirelationalKAnonymity,
        PersonalizedPrivacy,
        DeltaPresence,
        KMap,
        KConcealment,
        KConfusion,
        CTIsolation,
        AverageRisk,
        HighestRisk,
        SampleUniqueness,
        PopulationUniqueness,
        ReIdentification,
        IntervalDisclosure,
        ResultPrivacy,
    )
}

__all__ = [
    "MODELS",
    "AverageRisk",
    "KAnonymity",
    "LDiversity",
    "Original",
    "PrivacyModel",
    "SensitiveColumn",
    "TCloseness",
    "Whole",
    "parse_model",
]


def parse_model(place: Place, read_file: ReadFile | None = None) -> PrivacyModel:
    """Read one entry of a plan's models, and the files it names."""
    place.check_object()
    name = place["model"]
    return MODELS[name.choice(MODELS)].parse(place).with_files(place, read_file)
