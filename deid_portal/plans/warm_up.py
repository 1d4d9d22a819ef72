"""Loading at start-up what the first page or estimate of a process needs."""

from django.template.loader import get_template

from deid_portal.engine.compiled.light_start import start_lightly
from deid_portal.engine.files.isolated_reader import start_nursery
from deid_portal.engine.methods import METHODS
from deid_portal.engine.privacy import MODELS
from deid_portal.plans.estimation import load_kernels

# With included templates, which are loaded on the first rendering.
TEMPLATES = [
    "plans/protection.html",
    "plans/_estimate_part.html",
    "plans/_estimate.html",
    "plans/_payer.html",
    "plans/_policy.html",
    "plans/_promise.html",
]


def load_models_and_methods() -> None:
    """Import every model and method, once for all processes that are forked from this one.

    The nursery for reading files is started meanwhile, as a process of its own.
    """
    start_nursery(is_shared=True)
    start_lightly()
    for registry in (METHODS, MODELS):
        _ = list(registry.values())


def warm_up_estimates() -> None:
    """Load compiled code and read the templates."""
    load_kernels()
    for name in TEMPLATES:
        get_template(name)
