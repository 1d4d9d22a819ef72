"""The chart of a column: words below each other, numbers and days side by side."""

from deid_portal.datasets.figures import histogram_of_column
from tests import factories
from tests.charts import check_chart
from tests.conftest import Cast

TABLE = "\n".join(
    ["Town,Born,Height,Sure"]
    + [
        f"<b>Town {row % 23}</b> &amp; surroundings,19{50 + row % 40}-03-0{1 + row % 9},"
        f"{150 + row % 50}.{row % 10},{('yes', 'no')[row % 2]}"
        for row in range(200)
    ]
)


def test_every_column_is_drawn_as_its_table_says(cast: Cast) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team, TABLE.encode())
    charts = [histogram_of_column(column, dataset.rows) for column in dataset.columns.all()]
    assert len(charts) == 4
    for chart in charts:
        assert chart is not None
        check_chart(chart)
