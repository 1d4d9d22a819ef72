"""Dividing patterns into boxes, as long as every part of a cut keeps every rule."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.methods.mondrian import kernels
from deid_portal.engine.methods.mondrian.axes import Axis
from deid_portal.engine.methods.mondrian.kernels import AxisArrays, OpenBoxes, Tuples
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.table import Codes, Counts

STEPS_BETWEEN_REPORTS = 4_000_000  # tuples looked at
ROOM = 1024  # boxes

Answers = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Parts:
    """Proposed parts of boxes, to be judged by a rule."""

    part_of_tuple: Codes  # by the number of the tuple; NOWHERE for those not concerned
    members: Codes  # one tuple per part
    sizes: Counts  # records per part


@dataclass(frozen=True, eq=False)
class BoxPartition:
    """The final boxes: the box of each tuple, and the bounds of each box."""

    box_of: Codes  # one per tuple
    low: Codes  # column × box
    high: Codes  # column × box

    @property
    def count(self) -> int:
        return int(self.low.shape[1])


NOWHERE = -1
Rule = Callable[[Parts], Answers]  # one answer per part


class Divider:
    """Divides tuples along axes; each object is used once.

    `places` holds column × tuple and is brought into another order, `weights` the records of each
    tuple. A relaxed cut shares the records in the middle between both sides, so it needs tuples of
    one record each.
    """

    def __init__(
        self,
        axes: Sequence[Axis],
        places: Codes,
        weights: Counts,
        importance: Sequence[float],
        *,
        least: int = 1,
        relaxed: bool = False,
    ) -> None:
        count = len(weights)
        self._places = places
        self._weights = weights
        self._form = _form_of(axes, importance)
        self._least = max(least, 1)
        self._relaxed = relaxed
        self._most_parts = max([2, *(axis.length for axis in axes if axis.is_tree)])
        self._is_first = np.zeros(count, np.bool_)

    def divide_by_counts(
        self, progress: Progress, secrets: Codes | None = None, different: int = 0
    ) -> BoxPartition:
        """Divide as long as every part has enough records and enough different secrets."""
        own = np.zeros(0, np.int32) if secrets is None else secrets
        tuples = self._tuples(own)
        total = len(self._weights)
        boxes, waiting, done = self._everything(ROOM + self._most_parts), min(total, 1), 0
        while waiting:
            waiting, finished = kernels.divide_all(
                tuples,
                self._form,
                boxes,
                waiting,
                self._least,
                different if secrets is not None else 0,
                self._relaxed,
                int(own.max(initial=-1)) + 1,
                self._most_parts,
                self._is_first,
                STEPS_BETWEEN_REPORTS,
            )
            done += finished
            progress.report(done, total, "protect", classes=int(self._is_first.sum()))
            if waiting + self._most_parts > len(boxes.starts):
                boxes = OpenBoxes(*(np.concatenate([array, array]) for array in boxes))
        return self._partition(tuples)

    def divide_by_rule(self, rule: Rule, progress: Progress) -> BoxPartition:
        """Divide while every part keeps the rule.

        All boxes are cut once before any is cut again, so that the rule judges many parts at once.
        """
        tuples = self._tuples(np.zeros(0, np.int32))
        total, done = len(self._weights), 0
        boxes = self._everything(1) if total else self._everything(0)
        while len(boxes.starts):
            divided = self._divide_once(tuples, boxes, rule, progress, done)
            finished = len(self._weights) - int((divided.stops - divided.starts).sum())
            boxes, done = divided, finished
            progress.report(done, total, "protect", classes=int(self._is_first.sum()))
        return self._partition(tuples)

    def _divide_once(
        self, tuples: Tuples, boxes: OpenBoxes, rule: Rule, progress: Progress, done: int
    ) -> OpenBoxes:
        """Try the attempts of every box one after the other; mark those that stay as they are."""
        attempts = np.empty((len(boxes.starts), 2 * len(self._form.lengths)), np.int32)
        counts = np.empty(len(boxes.starts), np.int64)
        kernels.measure_boxes(tuples, self._form, boxes, attempts, counts)
        divided: list[OpenBoxes] = [_room_for(0, len(self._form.lengths))]
        open_boxes = np.arange(len(boxes.starts))
        turn = 0
        while True:
            is_over = counts[open_boxes] <= turn
            self._is_first[boxes.starts[open_boxes[is_over]]] = True
            open_boxes = open_boxes[~is_over]
            if not len(open_boxes):
                return OpenBoxes(*(np.concatenate(arrays) for arrays in zip(*divided, strict=True)))
            parts, allowed = self._propose(tuples, boxes, open_boxes, attempts[:, turn], rule)
            divided.append(self._divide(tuples, boxes, open_boxes[allowed], parts[allowed]))
            open_boxes = open_boxes[~allowed]
            turn += 1
            progress.report(done, len(self._weights), "protect")

    def _propose(
        self,
        tuples: Tuples,
        boxes: OpenBoxes,
        chosen: NDArray[np.int64],
        attempts: Codes,
        rule: Rule,
    ) -> tuple[Counts, Answers]:
        """Return how many parts each box would have and whether all of them keep the rule."""
        room = int((boxes.stops[chosen] - boxes.starts[chosen]).sum())
        parts = np.empty(len(chosen), np.int64)
        sizes, members = np.empty(room, np.int64), np.empty(room, np.int32)
        part_of_tuple = np.full(len(self._weights), NOWHERE, np.int32)
        count = kernels.propose_cuts(
            tuples,
            self._form,
            boxes,
            chosen,
            np.ascontiguousarray(attempts[chosen]),
            self._least,
            self._relaxed,
            self._most_parts,
            parts,
            sizes,
            members,
            part_of_tuple,
        )
        good = np.ones(0, np.bool_)
        if count:
            good = rule(Parts(part_of_tuple, members[:count].copy(), sizes[:count].copy()))
        box_of_part = np.repeat(np.arange(len(chosen)), parts)
        broken = np.bincount(box_of_part, ~good, len(chosen))
        return parts, (parts > 0) & (broken == 0)

    def _divide(
        self, tuples: Tuples, boxes: OpenBoxes, chosen: NDArray[np.int64], parts: Counts
    ) -> OpenBoxes:
        divided = _room_for(int(parts.sum()), len(self._form.lengths))
        kernels.divide_boxes(tuples, boxes, chosen, parts, self._most_parts, divided, 0)
        return divided

    def _tuples(self, secrets: Codes) -> Tuples:
        count = len(self._weights)
        return Tuples(
            np.ascontiguousarray(self._places, np.int32),
            np.array(self._weights, np.int32),
            np.array(secrets, np.int32),
            np.arange(count, dtype=np.int32),
            np.empty(count, np.int32),
            np.empty(count, np.uint32),
            np.empty(count, np.int32),
            np.empty(int(self._form.lengths.max(initial=1)), np.int64),
        )

    def _everything(self, room: int) -> OpenBoxes:
        """Return room for boxes; the first holds all tuples."""
        boxes = _room_for(room, len(self._form.lengths))
        if room:
            boxes.starts[0], boxes.stops[0] = 0, len(self._weights)
            boxes.weights[0] = self._weights.sum(dtype=np.int64)
            boxes.low[0], boxes.high[0] = 0, self._form.lengths - 1
        return boxes

    def _partition(self, tuples: Tuples) -> BoxPartition:
        count = int(self._is_first.sum())
        return BoxPartition(*kernels.number_boxes(tuples, self._is_first, count))


def _room_for(boxes: int, columns: int) -> OpenBoxes:
    return OpenBoxes(
        np.zeros(boxes, np.int64),
        np.zeros(boxes, np.int64),
        np.zeros(boxes, np.int64),
        np.zeros((boxes, columns), np.int32),
        np.zeros((boxes, columns), np.int32),
    )


def _form_of(axes: Sequence[Axis], importance: Sequence[float]) -> AxisArrays:
    nodes = [axis.nodes for axis in axes]
    # Each column starts at the same place in both arrays; an ordered axis has no nodes.
    sizes = [max(own.size, axis.length) for axis, own in zip(axes, nodes, strict=True)]
    all_nodes = [
        np.zeros(size, np.int32) if own.size == 0 else own.reshape(-1)
        for own, size in zip(nodes, sizes, strict=True)
    ]
    return AxisArrays(
        np.array([axis.length for axis in axes], np.int64),
        np.array([axis.has_gap for axis in axes], np.bool_),
        np.array([len(own) for own in nodes], np.int64),
        np.cumsum([0, *sizes])[:-1].astype(np.int64),
        np.concatenate([np.zeros(0), *(axis.spots for axis in axes)]),
        np.concatenate([np.zeros(0, np.int32), *all_nodes]),
        np.array(importance, np.float64),
    )
