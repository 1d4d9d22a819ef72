"""Distance linkage of single points, without the patterns that many people share."""

import numpy as np

from deid_portal.engine.attacks.distance_linkage import NearestLinks, Points, link_places
from deid_portal.engine.table.table import Codes


def link_nearest(people: Points, released: Points, own: Codes) -> NearestLinks:
    """Link every person with the nearest released points; `own` is the right one, or -1."""
    points, number, counts = np.unique(released, axis=0, return_inverse=True, return_counts=True)
    places, person = np.unique(people, axis=0, return_inverse=True)
    return link_places(places, person.reshape(-1), points, number.reshape(-1), counts, own, None)
