"""Reconstruction (deck 002): enough answers with too little noise are the table itself."""

import numpy as np

from deid_portal.engine.attacks.attack_figures import DifferencingFigures
from deid_portal.engine.attacks.differencing import Bits
from deid_portal.engine.attacks.reconstruction import attack_by_reconstruction
from deid_portal.engine.differential.lessons.lesson import (
    Lesson,
    answer_privately,
    answer_with_uniform_noise,
)


def teach_reconstruction(
    bits: Bits, reach: float, epsilon: float, generator: np.random.Generator
) -> Lesson:
    """Reconstruct everybody from random groups, with noise up to `reach` and with private noise.

    The generator draws the groups and the noise that is not private, nothing else.
    """
    bounded = answer_with_uniform_noise(bits, reach, generator)
    without = attack_by_reconstruction(bits, bounded, generator)
    asked = int(without.figures.of(DifferencingFigures).questions)
    private = answer_privately(bits, epsilon / asked)
    return Lesson(
        title="Everybody at once",
        without=without,
        with_privacy=attack_by_reconstruction(bits, private, generator),
        moral=(
            f"Noise never larger than {reach:g} looks like protection and is none: {asked} "
            f"questions undo it (Dinur and Nissim: anything below about √n). It also has no ε, "
            f"since some answers are possible for one table only."
        ),
    )
