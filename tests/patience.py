"""How long tests wait for what must happen: as long as a very busy machine may need.

No test judges the speed of the machine.
"""

PATIENCE = 900  # seconds
