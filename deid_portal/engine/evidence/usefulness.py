"""What a release is good for, beside its original: single columns, pairs, queries, classifiers."""

from dataclasses import replace

import numpy as np

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.evidence.evidence import Evidence
from deid_portal.engine.progress import Progress
from deid_portal.engine.report.utility import (
    ClassifierAccuracy,
    ClassifierProblem,
    ReleaseComparison,
    UtilityMeasures,
    WorkloadError,
)
from deid_portal.engine.utility.ambiguity import measure_ambiguity
from deid_portal.engine.utility.classifiers import compare_classifiers
from deid_portal.engine.utility.comparison import compare_marginals, compare_pairs
from deid_portal.engine.utility.coverage import LabelCoverage
from deid_portal.engine.utility.divergence import measure_divergence
from deid_portal.engine.utility.information_gain import measure_information_gain
from deid_portal.engine.utility.workload import measure_workload_error

MOST_PAIRED_COLUMNS = 12
MOST_LABELS, MOST_LAYERS = 5000, 64  # above, matching labels with values takes too long


def add_measures(
    evidence: Evidence, utility: UtilityMeasures, coverages: tuple[LabelCoverage, ...]
) -> UtilityMeasures:
    rows = max(evidence.original.rows, evidence.released.rows)
    return replace(
        utility,
        ambiguity=measure_ambiguity(evidence.released, coverages, rows).share,
        kl_divergence=_measure_divergence(evidence, coverages),
        information_gain=_measure_gain(evidence),
    )


def _measure_gain(evidence: Evidence) -> float | None:
    wanted = evidence.measures.class_column
    if wanted is None or wanted not in evidence.released:
        return None
    others = [name for name in evidence.names if name != wanted]
    return measure_information_gain(evidence.released, others, wanted).gain


def _measure_divergence(evidence: Evidence, coverages: tuple[LabelCoverage, ...]) -> float | None:
    """Return the divergence; None if it takes too long or is not finite.

    It is infinite if the release rules out a record of the original.
    """
    if any(len(coverage.covered) > MOST_LABELS for coverage in coverages):
        return None
    layers = np.prod([float(len(coverage.layers[1])) for coverage in coverages])
    if layers > MOST_LAYERS:
        return None
    found = measure_divergence(
        evidence.original, evidence.released, evidence.names, evidence.taxonomies
    )
    return found if np.isfinite(found) else None


def compare_release(
    evidence: Evidence, coverages: tuple[LabelCoverage, ...], progress: Progress
) -> ReleaseComparison:
    paired = coverages[:MOST_PAIRED_COLUMNS]
    wanted = evidence.measures.class_column
    return ReleaseComparison(
        columns=tuple(compare_marginals(evidence.original, evidence.released, coverages)),
        pairs=tuple(compare_pairs(evidence.original, evidence.released, paired)),
        queries=_ask_queries(evidence, coverages) if evidence.measures.queries else None,
        classifiers=None if wanted is None else _classify(evidence, wanted, progress),
    )


def _ask_queries(evidence: Evidence, coverages: tuple[LabelCoverage, ...]) -> WorkloadError:

    return measure_workload_error(
        evidence.original,
        evidence.released,
        coverages,
        generator=np.random.default_rng(evidence.measuring_seed),
        queries=evidence.measures.queries,
    )


def _classify(
    evidence: Evidence, class_column: str, progress: Progress
) -> tuple[ClassifierAccuracy | ClassifierProblem, ...]:

    if class_column not in evidence.released:
        return ()
    names = [name for name in evidence.names if name != class_column]
    if not names:
        return ()  # no features
    try:
        found = compare_classifiers(
            evidence.original,
            evidence.released,
            names,
            class_column,
            seed=evidence.measuring_seed or 0,
            between=lambda: progress.report(0, 1, "measure"),
        )
    except InvalidTable as error:  # too few records of a class to train on
        return (ClassifierProblem(str(error)),)
    return tuple(found)
