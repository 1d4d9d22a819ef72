import json
from time import process_time

from deid_portal.engine.progress import Progress
from deid_portal.engine.risk.summary import summarize_risk
from deid_portal.engine.table.patterns import reduce_table
from tests.engine.risk.test_adult_risk import NINE
from tests.engine.tables import FOUR, adult_table


def test_summary_is_a_document_without_a_cell() -> None:
    patterns = reduce_table(FOUR, ["zip", "age"], (), Progress(None))
    summary = summarize_risk(patterns, population_size=100)
    text = json.dumps(summary.to_document())
    assert not any(cell in text for cell in ("13053", "13068", "Flu"))
    assert summary.prosecutor.average == 3 / 4
    assert summary.sample_uniques.records == 2
    assert summary.special_uniques.records == 2
    assert summary.population_uniques.population_size == 100


def test_every_class_based_risk_of_adult_takes_less_than_a_second() -> None:
    patterns = reduce_table(adult_table(), NINE, (), Progress(None))
    summarize_risk(patterns)
    started = process_time()
    summarize_risk(patterns, population_size=1_000_000)
    assert process_time() - started < 1
