"""Loading at start-up what the first estimate of a process needs."""

from django.template.loader import get_template

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


def warm_up_estimates() -> None:
    """Import every model and method, load compiled code, read the templates; takes a second.

    The nursery for reading files is started as well.
    """
    start_nursery()
    for registry in (METHODS, MODELS):
        _ = list(registry.values())
    load_kernels()
    for name in TEMPLATES:
        get_template(name)
