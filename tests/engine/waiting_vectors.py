"""The vectors no test exercises yet, by what they wait for; the only such list.

`test_vectors_complete.py` sees to it that it can only shrink: whoever tests a vector must take it
off here, and nothing may be put here that a test exercises.
"""

WAITING = {}
