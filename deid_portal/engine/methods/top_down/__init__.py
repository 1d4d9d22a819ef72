"""Specializing: from everything hidden step by step to more detail, as long as the rules allow."""
