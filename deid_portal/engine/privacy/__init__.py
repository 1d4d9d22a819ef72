"""Privacy models: one file each, found here by the name a plan uses."""

from deid_portal.engine.documents import Place
from deid_portal.engine.privacy.average_risk import AverageRisk
from deid_portal.engine.privacy.k_anonymity import KAnonymity
from deid_portal.engine.privacy.l_diversity import LDiversity
from deid_portal.engine.privacy.model import PrivacyModel, Whole
from deid_portal.engine.privacy.sensitive import SensitiveColumn
from deid_portal.engine.privacy.t_closeness import TCloseness

MODELS: dict[str, type[PrivacyModel]] = {
    model.name: model for model in (KAnonymity, LDiversity, TCloseness, AverageRisk)
}

# Names the plan format reserves; each moves to MODELS with its file.
NOT_YET = (
    "p-sensitive-k-anonymity",
    "k-l-anonymity",
    "lkc-privacy",
    "alpha-k-anonymity",
    "confidence-bounding",
    "x-y-privacy",
    "k-e-anonymity",
    "epsilon-m-anonymity",
    "personalized-privacy",
    "multirelational-k-anonymity",
    "delta-presence",
    "k-map",
    "c-t-isolation",
    "beta-likeness",
    "delta-disclosure",
    "highest-risk",
    "sample-uniqueness",
    "population-uniqueness",
    "k-confusion",
    "k-concealment",
    "re-identification",
    "interval-disclosure",
)

__all__ = [
    "MODELS",
    "AverageRisk",
    "KAnonymity",
    "LDiversity",
    "PrivacyModel",
    "SensitiveColumn",
    "TCloseness",
    "Whole",
    "parse_model",
]


def parse_model(place: Place) -> PrivacyModel:
    """Read one entry of a plan's models."""
    place.check_object()
    name = place["model"]
    if name.value in NOT_YET:
        name.refuse(f'"{name.value}" is not available yet; available: {", ".join(MODELS)}.')
    return MODELS[name.choice(MODELS)].parse(place)
