"""Ways to answer with chance, one file each. Whole numbers in, whole numbers out.

OpenDP draws the noise, from a cryptographic source and without floats, so neither a seed nor the
gaps between floats tell what was added. It is imported where it is needed, because that takes a
while. `SLACK` adds a little more noise than asked for, so that rounding never costs more than said.
"""

from deid_portal.engine.differential.mechanisms.mechanism import NoiseMechanism

__all__ = ["NoiseMechanism"]
