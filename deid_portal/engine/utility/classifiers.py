"""Classifier accuracy before and after: how well do models trained on the release predict?

V. Iyengar, Transforming data to satisfy privacy constraints, KDD 2002. Cross-validated logistic
regression, random forest and naive Bayes on the quasi-identifiers, beside always guessing the most
common class. scikit-learn is loaded only when asked.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.report.utility import Accuracy, ClassifierAccuracy
from deid_portal.engine.table.table import Codes, Table

MODELS = ("logistic-regression", "forest", "naive-bayes")
MOST_ROWS = 5000  # learning from more changes the second decimal and takes minutes


def compare_classifiers(
    original: Table,
    released: Table,
    columns: Sequence[str],
    class_column: str,
    *,
    seed: int,
    folds: int = 5,
    most_rows: int = MOST_ROWS,
    models: Sequence[str] = MODELS,
    between: Callable[[], None] = lambda: None,
) -> list[ClassifierAccuracy]:
    """Learn the class column from each table and test on its own held-out records.

    Tables longer than `most_rows` are sampled. Every label, also a gap, is a feature of its own.
    `between` is called between two trainings, to report progress or to stop.
    """

    def measure(table: Table, model: str) -> Accuracy:
        return measure_accuracy(
            table, columns, class_column, model, seed, folds, most_rows, between
        )

    majority = float(original[class_column].counts.max(initial=0)) / max(original.rows, 1)
    return [
        ClassifierAccuracy(model, measure(original, model), measure(released, model), majority)
        for model in models
    ]


def measure_accuracy(
    table: Table,
    columns: Sequence[str],
    class_column: str,
    model: str,
    seed: int,
    folds: int = 5,
    most_rows: int = MOST_ROWS,
    between: Callable[[], None] = lambda: None,
) -> Accuracy:
    """Cross-validate one model on one table."""
    from sklearn.model_selection import StratifiedKFold
    from threadpoolctl import threadpool_limits

    rows = _sample(table.rows, most_rows, seed)
    target = table[class_column].codes[rows]
    target = np.where(np.isin(target, _common(target, folds)), target, -1)
    kept = target >= 0
    if len(np.unique(target[kept])) < 2:
        raise InvalidTable(
            f'Column "{class_column}" needs two classes with at least {folds} records each.'
        )
    features = encode_features(table, columns, rows[kept])
    split = StratifiedKFold(folds, shuffle=True, random_state=seed)
    scores = []
    # Matrices are small: more threads would only wait for each other.
    with threadpool_limits(1):
        for learned, tested in split.split(features, target[kept]):
            between()
            classifier = build_classifier(model, seed).fit(features[learned], target[kept][learned])
            scores.append(classifier.score(features[tested], target[kept][tested]))
    return _summarize_folds(np.array(scores))


def _summarize_folds(scores: NDArray[np.float64]) -> Accuracy:
    """Return mean and Student's interval, a little narrow since folds share training records."""
    from scipy.stats import t

    mean, folds = float(scores.mean()), len(scores)
    half = float(t.ppf(0.975, folds - 1) * scores.std(ddof=1) / np.sqrt(folds))
    return Accuracy(mean, (max(mean - half, 0.0), min(mean + half, 1.0)))


def build_classifier(model: str, seed: int) -> Any:
    """Return an untrained classifier by name."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import BernoulliNB

    match model:
        case "logistic-regression":
            return LogisticRegression(max_iter=100, tol=1e-2)
        case "forest":
            return RandomForestClassifier(50, min_samples_leaf=2, random_state=seed)
        case _:
            return BernoulliNB()


def encode_features(table: Table, columns: Sequence[str], rows: NDArray[np.intp]) -> Any:
    """Return one 0/1 feature per label, as a sparse matrix."""
    from scipy.sparse import csr_matrix

    offsets = np.cumsum([0, *(len(table[name].values) for name in columns)])
    places = [
        table[name].codes[rows] + offset
        for name, offset in zip(columns, offsets[:-1].tolist(), strict=True)
    ]
    indices = np.array(places).T.ravel()
    pointers = np.arange(len(rows) + 1) * len(columns)
    shape = (len(rows), int(offsets[-1]))
    return csr_matrix((np.ones(len(indices)), indices, pointers), shape=shape)


def _sample(rows: int, most: int, seed: int) -> NDArray[np.intp]:
    if rows <= most:
        return np.arange(rows)
    return np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))


def _common(target: Codes, folds: int) -> NDArray[np.int32]:
    """Return the classes with a record for every fold."""
    return np.flatnonzero(np.bincount(target) >= folds).astype(np.int32)
