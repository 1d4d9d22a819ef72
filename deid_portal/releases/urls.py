from django.urls import path

from deid_portal.releases.views import changing, repeating, showing, taking

app_name = "releases"
_RELEASE = "releases/<uuid:release_id>/"
_GRANT = f"{_RELEASE}people/<uuid:grant_id>/"
urlpatterns = [
    path("releases/", showing.list_releases, name="list"),
    path(_RELEASE, showing.show, name="show"),
    path(f"{_RELEASE}certificate.<slug:kind>", showing.certificate, name="certificate"),
    path(f"{_RELEASE}packing/", showing.packing, name="packing"),
    path(f"{_RELEASE}package.zip", taking.download, name="download"),
    path(f"{_RELEASE}pack/", taking.pack, name="pack"),
    path(f"{_RELEASE}people/", changing.name, name="name-person"),
    path(f"{_GRANT}change/", changing.change, name="change-terms"),
    path(f"{_GRANT}end/", changing.end, name="end-period"),
    path(f"{_GRANT}decline/", changing.decline, name="decline-period"),
    path(f"{_RELEASE}ask/", changing.ask, name="ask-period"),
    path(f"{_RELEASE}withdraw/", changing.withdraw, name="withdraw"),
    path(f"{_RELEASE}repeat/", repeating.repeat, name="repeat"),
]
