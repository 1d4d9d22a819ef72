"""The questions that can be asked, one file each, in the order they are shown."""

from deid_portal.engine.differential.question import PrivateQuestion
from deid_portal.engine.registry import Registry

QUESTIONS: Registry[PrivateQuestion] = Registry(
    __name__,
    {
        "count": "count.Count",
        "count-by-group": "count_by_group.CountByGroup",
        "sum": "sum.Sum",
        "mean": "mean.Mean",
        "variance": "variance.Variance",
        "median": "quantiles.Median",
        "quantiles": "quantiles.Quantiles",
        "histogram": "histogram.Histogram",
        "count-by-period": "count_by_period.CountByPeriod",
        "histogram-mean": "histogram_mean.HistogramMean",
        "most-common": "most_common.MostCommon",
        "contingency": "contingency.Contingency",
        "linear-regression": "linear_regression.LinearRegression",
        "logistic-regression": "logistic_regression.LogisticRegression",
    },
)
