"""The sparkline of a column: bars, or a word if bars would not be informative."""

from dataclasses import dataclass

from deid_portal.datasets.models import DatasetColumn

WIDTH, HEIGHT, GAP = 84, 26, 1
NEARLY_ALL = 0.9
NEARLY = "nearly all different"
ORDERED = ("integer", "number", "date")


@dataclass(frozen=True)
class HistogramBar:
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Shape:
    words: str  # empty if bars are shown
    bars: list[HistogramBar]

    @property
    def is_drawn(self) -> bool:
        return bool(self.bars)

    @property
    def path(self) -> str:
        """All bars as one SVG path: a page of 200 columns draws thousands of them."""
        return "".join(f"M{b.x} {b.y}h{b.width}v{b.height}h-{b.width}z" for b in self.bars)


def describe_shape(column: DatasetColumn, rows: int) -> Shape:
    words = say_shape(column, rows)
    if words and (words != NEARLY or column.type not in ORDERED):
        return Shape(words, [])
    return Shape("", _bars([count for _, count in bars_of(column)]))


def bars_of(column: DatasetColumn) -> list[tuple[str, int]]:
    """Return the labels and rows of the bars, without the bar of all rare words."""
    bars = [(str(label), int(count)) for label, count in column.profile.get("histogram", [])]
    is_cut = column.type not in ORDERED and column.distinct > len(bars)
    return bars[:-1] if is_cut else bars


def say_shape(column: DatasetColumn, rows: int) -> str:
    """Return a word for a column whose bars are not informative, else an empty text."""
    filled = rows - column.missing
    if not filled:
        return "all missing"
    if column.distinct == 1:
        return "one value"
    if column.uniques == filled:
        return "all different"
    return NEARLY if column.uniques >= NEARLY_ALL * filled else ""


def _bars(counts: list[int]) -> list[HistogramBar]:
    if not counts or not max(counts):
        return []
    step = WIDTH / len(counts)
    tallest = max(counts)
    bars = []
    for index, count in enumerate(counts):
        height = round(max(HEIGHT * count / tallest, 1), 1) if count else 0
        bars.append(
            HistogramBar(round(index * step, 1), HEIGHT - height, round(step - GAP, 1), height)
        )
    return bars
