"""Methods, found here by the name a plan uses: one file each, with its workings in one folder."""

from deid_portal.engine.documents import Place, quoted
from deid_portal.engine.methods.method import Method, RecodingMethod
from deid_portal.engine.registry import Registry

METHODS: Registry[Method] = Registry(
    __name__,
    {
        "full-domain": "full_domain.FullDomain",
        "local-recoding": "local_recoding.LocalRecoding",
        "levels": "levels.ChosenLevels",
        "none": "none.NoChange",
        "top-down": "top_down.top_down.TopDown",
        "mondrian": "mondrian.mondrian.Mondrian",
        "microaggregation": "microaggregation.microaggregation.Microaggregation",
        "k-confusion": "microaggregation.k_confusion.KConfusionRelease",
        "k-concealment": "concealment.k_concealment.KConcealmentRelease",
        "bucketization": "separation.bucketization.Bucketization",
        "permutation": "separation.permutation.Permutation",
        "pram": "perturbation.pram.Pram",
        "noise": "perturbation.noise.Noise",
        "rank-swapping": "perturbation.rank_swapping.RankSwapping",
        "record-swapping": "perturbation.record_swapping.RecordSwapping",
        "coding": "coding.Coding",
        "rounding": "rounding.Rounding",
        "coarsening": "coarsening.Coarsening",
        "date-shifting": "date_shifting.DateShifting",
        "sampling": "sampling.Sampling",
        "dp-table": "private_tables.dp_table.DPTable",
        "synthetic": "private_tables.synthetic.Synthetic",
    },
)

__all__ = [
    "METHODS",
    "Method",
    "RecodingMethod",
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
        place.refuse(f"{quoted(choosing)} cannot follow one another; keep one of them.")
    _check_nothing_breaks_a_proof(methods, places)
    return methods


def _check_nothing_breaks_a_proof(methods: tuple[Method, ...], places: list[Place]) -> None:
    """Refuse methods that would break the proof of a differentially private method before them."""
    promised = False
    for method, place in zip(methods, places, strict=True):
        for key in ("person", "household"):
            if promised and getattr(method, key, None) is not None:
                place[key].refuse(
                    "after a differentially private method rows may not be told apart by a column "
                    "that the proof does not know; leave this out."
                )
        promised = promised or method.is_private


def _parse_method(place: Place) -> Method:
    place.check_object()
    return METHODS[place["name"].choice(METHODS)].parse(place)
