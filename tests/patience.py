"""How long tests wait for what must happen: as long as a very busy machine may need.

How fast a machine is, no test judges.
"""

PATIENCE = 900  # seconds
