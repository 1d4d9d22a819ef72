"""Attacks on a released network, judged by the original nodes behind the released ones."""
