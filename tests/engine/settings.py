"""A release and its original that the attack tests share."""

from dataclasses import replace

import numpy as np

from deid_portal.engine import Table
from deid_portal.engine.attacks import AttackSetting
from deid_portal.engine.taxonomies import Taxonomy

NAMES = ["zip", "age", "condition"]
PEOPLE = [
    ["47677", "29", "Flu"],
    ["47602", "22", "Flu"],
    ["47678", "27", "Flu"],
    ["47905", "43", "Cancer"],
    ["47909", "52", "Flu"],
    ["47906", "47", "Asthma"],
    ["47605", "30", "Cancer"],
    ["47673", "36", "Asthma"],
]
# The first class is all flu; the last person was left out.
SHOWN = [
    ["476**", "2*", "Flu"],
    ["476**", "2*", "Flu"],
    ["476**", "2*", "Flu"],
    ["4790*", "≥40", "Cancer"],
    ["4790*", "≥40", "Flu"],
    ["4790*", "≥40", "Asthma"],
    ["476**", "3*", "Cancer"],
]
LEAVES = [("Flu", "lungs"), ("Asthma", "lungs"), ("Cancer", "tumor")]
ILLNESSES = Taxonomy.from_paths([(leaf, group, "*") for leaf, group in LEAVES])


def release(shown: list[list[str]] = SHOWN, people: list[list[str]] = PEOPLE) -> AttackSetting:
    """Return a setting in which released record i is person i."""
    return AttackSetting(
        original=Table.from_rows(NAMES, people),
        released=Table.from_rows(NAMES, shown),
        rows=np.arange(len(shown), dtype=np.int32),
        quasi_identifiers=("zip", "age"),
        sensitive="condition",
    )


def complete() -> AttackSetting:
    """Return the release with everything any attack may need."""
    setting = release()
    control = Table.from_rows(NAMES, [*PEOPLE[::-1], *PEOPLE[:4], *PEOPLE[2:6]])
    return replace(setting, control=control, others=(setting,), taxonomies={"condition": ILLNESSES})


def shuffled(setting: AttackSetting) -> AttackSetting:
    """Return the same release with its records in the opposite order."""
    back = slice(None, None, -1)
    columns = tuple(column.take(back) for column in setting.released.columns)
    return replace(setting, released=Table(columns), rows=setting.rows[::-1])


def renamed(setting: AttackSetting) -> AttackSetting:
    """Return the same release with other names for the sensitive values."""
    paths = [(_rename(leaf), group, "*") for leaf, group in LEAVES]
    return replace(
        setting,
        original=_rename_table(setting.original),
        released=_rename_table(setting.released),
        control=_rename_table(setting.control) if setting.control else None,
        others=tuple(renamed(other) for other in setting.others),
        taxonomies={"condition": Taxonomy.from_paths(paths)},
    )


def _rename_table(table: Table) -> Table:
    rows = [[*row[:-1], _rename(str(row[-1]))] for row in table.head(table.rows)]
    return Table.from_rows(table.names, rows)


def _rename(text: str) -> str:
    return f"~{text}~"
