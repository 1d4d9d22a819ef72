"""The small tables the decks teach with, invented people all of them."""

import numpy as np

from deid_portal.engine.attacks.differencing import Bits
from deid_portal.engine.table.numbers import Numbers

# Deck 000: who has the disease; the sums of the first four and the first five tell on Chandler.
CHANDLER_NAMES = ("Ross", "Monica", "Joey", "Phoebe", "Chandler", "Rachel")
CHANDLER: Bits = np.array([1, 1, 0, 0, 1, 0], np.int64)
# Deck 002: who has the sickle cell trait; "everybody but X" tells on X.
SICKLE_CELL_NAMES = ("A", "B", "C", "D", "X", "Y", "Z")
SICKLE_CELL: Bits = np.array([1, 1, 0, 0, 0, 1, 0], np.int64)
# Deck 002: blood sugar; the second is Bob.
BLOOD_SUGAR: Numbers = np.array([4.2, 5.9, 5.2, 6.9, 5.7])
BOB = 1
LOWEST_SUGAR, HIGHEST_SUGAR = 2.0, 12.0
# Deck 002: years to a degree of people in a class; maxima of groups tell on one of them.
YEARS: Numbers = np.array([1.0, 1, 1, 2, 2, 1, 2, 1, 1, 3, 2])
