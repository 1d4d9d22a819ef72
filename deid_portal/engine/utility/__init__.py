"""Metrics: one file each, found here by the name a plan uses."""

from deid_portal.engine.utility.average_class_size import AverageClassSize
from deid_portal.engine.utility.discernibility import Discernibility
from deid_portal.engine.utility.entropy import Entropy
from deid_portal.engine.utility.iloss import ILoss
from deid_portal.engine.utility.loss import Loss
from deid_portal.engine.utility.metric import (
    ClassMetric,
    LabelledColumn,
    MeasuredColumn,
    MeasuredRelease,
    Metric,
    SeparableMetric,
    ShownLabels,
)
from deid_portal.engine.utility.precision import Precision

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Precision(),
        ILoss(),
        Loss(),
        Discernibility(),
        AverageClassSize(),
        Entropy(),
    )
}

__all__ = [
    "METRICS",
    "ClassMetric",
    "LabelledColumn",
    "Loss",
    "MeasuredColumn",
    "MeasuredRelease",
    "Metric",
    "SeparableMetric",
    "ShownLabels",
]
