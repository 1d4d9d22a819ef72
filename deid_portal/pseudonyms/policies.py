from deid_portal.pseudonyms.models import WayBack
from deid_portal.web.refusals import Refused


def check_can_be_opened(way_back: WayBack) -> None:
    if way_back.dataset.is_forgotten or way_back.key.secret is None:
        raise Refused("The table was deleted, and with it the way back from its pseudonyms.")
