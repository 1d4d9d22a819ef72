"""Methods: one file each, found here by the name a plan uses."""

from deid_portal.engine.documents import Place, listed
from deid_portal.engine.methods.bucketization import Bucketization
from deid_portal.engine.methods.coding import Coding
from deid_portal.engine.methods.date_shifting import DateShifting
from deid_portal.engine.methods.dp_table import DPTable
from deid_portal.engine.methods.full_domain import FullDomain
from deid_portal.engine.methods.levels import ChosenLevels
from deid_portal.engine.methods.local_recoding import LocalRecoding
from deid_portal.engine.methods.method import Method, RecodingMethod
from deid_portal.engine.methods.microaggregation import Microaggregation
from deid_portal.engine.methods.mondrian import Mondrian
from deid_portal.engine.methods.noise import Noise
from deid_portal.engine.methods.none import NoChange
from deid_portal.engine.methods.permutation import Permutation
from deid_portal.engine.methods.pram import Pram
from deid_portal.engine.methods.rank_swapping import RankSwapping
from deid_portal.engine.methods.record_swapping import RecordSwapping
from deid_portal.engine.methods.rounding import Rounding
from deid_portal.engine.methods.sampling import Sampling
from deid_portal.engine.methods.synthetic import Synthetic
from deid_portal.engine.methods.top_down import TopDown

METHODS: dict[str, type[Method]] = {
    method.name: method
    for method in (
        FullDomain,
        LocalRecoding,
        ChosenLevels,
        NoChange,
        TopDown,
        Mondrian,
        Microaggregation,
        Bucketization,
        Permutation,
        Pram,
        Noise,
        RankSwapping,
        RecordSwapping,
        Coding,
        Rounding,
        DateShifting,
        Sampling,
        DPTable,
        Synthetic,
    )
}

# Names the plan format reserves; each moves to METHODS with its file.
NOT_YET: tuple[str, ...] = ()

__all__ = [
    "METHODS",
    "Bucketization",
    "ChosenLevels",
    "Coding",
    "DPTable",
    "DateShifting",
    "FullDomain",
    "LocalRecoding",
    "Method",
    "Microaggregation",
    "Mondrian",
    "NoChange",
    "Noise",
    "Permutation",
    "Pram",
    "RankSwapping",
    "RecodingMethod",
    "RecordSwapping",
    "Rounding",
    "Sampling",
    "Synthetic",
    "TopDown",
    "parse_methods",
]


def parse_methods(place: Place) -> tuple[Method, ...]:
    """Read a plan's method: one, or a list to be applied one after the other."""
    places = place.items() if isinstance(place.value, list) else [place]
    if not places:
        place.refuse("at least one method is needed.")
    methods = tuple(_parse_method(item) for item in places)
    choosing = [method.name for method in methods if isinstance(method, RecodingMethod)]
    if len(choosing) > 1:
        place.refuse(f"{listed(choosing)} cannot follow one another; keep one of them.")
    return methods


def _parse_method(place: Place) -> Method:
    place.check_object()
    name = place["name"]
    if name.value in NOT_YET:
        name.refuse(f'"{name.value}" is not available yet; available: {", ".join(METHODS)}.')
    return METHODS[name.choice(METHODS)].parse(place)
