"""Mechanisms of differential privacy, one file each, from whole numbers to whole numbers.

OpenDP draws the noise from a cryptographic source and without floats, so neither a seed nor the
spacing of floats reveals it. It is imported where it is needed, because the import is slow. `SLACK`
adds slightly more noise than necessary, so that rounding never exceeds the price.
"""

from deid_portal.engine.differential.mechanisms.mechanism import NoiseMechanism

__all__ = ["NoiseMechanism"]
