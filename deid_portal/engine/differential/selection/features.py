"""Columns as numbers between −1 and 1, by what was declared for them."""

from collections.abc import Sequence

import numpy as np

from deid_portal.engine.differential.selection.domains import NumberDomain, domain_value_words
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.differential.setting import PrivacySetting
from deid_portal.engine.table.numbers import Numbers


def scaled(rows: SelectedRows, column: str) -> Numbers:
    """Return a number column moved and shrunk so that its bounds are −1 and 1; NaN for none."""
    domain = rows.setting.bounds_of(column)
    # Clipped because the middle is rounded: no product may be above 1.
    return np.clip((rows.numbers(column) - domain.middle) / (domain.width / 2), -1.0, 1.0)


def marked(rows: SelectedRows, column: str) -> Numbers:
    """Return for each value of a column but the first whether a row has it; NaN for none."""
    places = rows.places(column)
    values = rows.setting.values_of(column).values
    marks = (places[:, np.newaxis] == np.arange(1, len(values))).astype(np.float64)
    return np.where(places[:, np.newaxis] < 0, np.nan, marks)


def feature_names(setting: PrivacySetting, columns: Sequence[str]) -> list[str]:
    """Return what each feature stands for, after the constant."""
    names: list[str] = []
    for column in columns:
        if isinstance(setting.domains[column], NumberDomain):
            names.append(column)
        else:
            values = setting.values_of(column).values
            names += [f"{column} is {domain_value_words(value)}" for value in values[1:]]
    return names


def features_of(rows: SelectedRows, columns: Sequence[str]) -> Numbers:
    """Return a constant and the features of each row, side by side."""
    parts = [np.ones((rows.table.rows, 1))]
    for column in columns:
        is_number = isinstance(rows.setting.domains[column], NumberDomain)
        parts.append(scaled(rows, column)[:, np.newaxis] if is_number else marked(rows, column))
    return np.hstack(parts)
