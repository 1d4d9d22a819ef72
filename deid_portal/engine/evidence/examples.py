"""An example per column: a frequent value and what it became."""

import numpy as np

from deid_portal.engine.evidence.evidence import Evidence
from deid_portal.engine.report.distributions import ChangedValue
from deid_portal.engine.table.table import Column

UNKNOWN = -1
MANY_CHANGED = 0.1  # share of changed rows above which a changed value is shown as the example


def give_examples(evidence: Evidence) -> dict[str, ChangedValue]:
    """Return, per released column, a value and its released label."""
    return {
        name: _example(evidence, evidence.original[name], evidence.released[name])
        for name in evidence.told_names
        if name in evidence.released
    }


def _example(evidence: Evidence, original: Column, released: Column) -> ChangedValue:
    """Return a frequent value and its released label; a changed one if many values changed."""
    assert evidence.rows is not None  # noqa: S101 - asked only then
    behind, shown = original.codes[evidence.rows], released.codes
    own = {text: code for code, text in enumerate(original.values)}
    same = np.array([own.get(text, UNKNOWN) for text in released.values], np.int32)
    changed = same[shown] != behind
    if 0 < changed.sum() < len(changed) and changed.mean() > MANY_CHANGED:
        behind, shown = behind[changed], shown[changed]
    value = int(np.bincount(behind, minlength=1).argmax())
    labels = np.bincount(shown[behind == value], minlength=1)
    label = int(labels.argmax())
    return ChangedValue(original.values[value], released.values[label], int(labels[label]))
