"""Privacy models: one file each, found here by the name a plan uses."""

from collections.abc import Mapping
from typing import Any

from deid_portal.engine.documents import Place
from deid_portal.engine.privacy.average_risk import AverageRisk
from deid_portal.engine.privacy.k_anonymity import KAnonymity
from deid_portal.engine.privacy.l_diversity import LDiversity
from deid_portal.engine.privacy.model import Original, PrivacyModel, WholeTable
from deid_portal.engine.privacy.sensitive import SensitiveColumn
from deid_portal.engine.privacy.t_closeness import TCloseness
from deid_portal.engine.registry import Registry
from deid_portal.engine.taxonomies.recipe import ReadFile

MODELS: Registry[PrivacyModel] = Registry(
    __name__,
    {
        "k-anonymity": "k_anonymity.KAnonymity",
        "p-sensitive-k-anonymity": "p_sensitive_k_anonymity.PSensitiveKAnonymity",
        "l-diversity": "l_diversity.LDiversity",
        "t-closeness": "t_closeness.TCloseness",
        "alpha-k-anonymity": "alpha_k_anonymity.AlphaKAnonymity",
        "confidence-bounding": "confidence_bounding.ConfidenceBounding",
        "k-e-anonymity": "k_e_anonymity.KEAnonymity",
        "epsilon-m-anonymity": "epsilon_m_anonymity.EpsilonMAnonymity",
        "beta-likeness": "beta_likeness.BetaLikeness",
        "delta-disclosure": "delta_disclosure.DeltaDisclosure",
        "k-l-anonymity": "k_l_anonymity.KLAnonymity",
        "lkc-privacy": "lkc_privacy.LKCPrivacy",
        "x-y-privacy": "x_y_privacy.XYPrivacy",
        "multirelational-k-anonymity": "multirelational_k_anonymity.MultirelationalKAnonymity",
        "personalized-privacy": "personalized_privacy.PersonalizedPrivacy",
        "delta-presence": "delta_presence.DeltaPresence",
        "k-map": "k_map.KMap",
        "k-concealment": "k_concealment.KConcealment",
        "k-confusion": "k_confusion.KConfusion",
        "c-t-isolation": "c_t_isolation.CTIsolation",
        "average-risk": "average_risk.AverageRisk",
        "highest-risk": "highest_risk.HighestRisk",
        "sample-uniqueness": "sample_uniqueness.SampleUniqueness",
        "population-uniqueness": "population_uniqueness.PopulationUniqueness",
        "re-identification": "re_identification.ReIdentification",
        "interval-disclosure": "interval_disclosure.IntervalDisclosure",
        "result-privacy": "result_privacy.ResultPrivacy",
    },
)

__all__ = [
    "MODELS",
    "AverageRisk",
    "KAnonymity",
    "LDiversity",
    "Original",
    "PrivacyModel",
    "SensitiveColumn",
    "TCloseness",
    "WholeTable",
    "parse_model",
    "sensitive_columns_of",
]


def parse_model(place: Place, read_file: ReadFile | None = None) -> PrivacyModel:
    """Read one entry of a plan's models, and the files it names."""
    place.check_object()
    name = place["model"]
    return MODELS[name.choice(MODELS)].parse(place).with_files(place, read_file)


def sensitive_columns_of(rule: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the sensitive columns a rule of a plan names; rules about networks name none."""
    name = rule["model"]
    return MODELS[name].sensitive_columns_of(rule) if name in MODELS else ()
