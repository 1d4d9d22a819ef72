from django.urls import path

from deid_portal.releases.views import downloads, release, repetition, terms

app_name = "releases"
_RELEASE = "releases/<uuid:release_id>/"
_GRANT = f"{_RELEASE}people/<uuid:grant_id>/"
urlpatterns = [
    path("releases/", release.list_releases, name="list"),
    path(_RELEASE, release.show, name="show"),
    path(f"{_RELEASE}certificate.<slug:kind>", release.certificate, name="certificate"),
    path(f"{_RELEASE}packing/", release.packing, name="packing"),
    path(f"{_RELEASE}package.zip", downloads.download, name="download"),
    path(f"{_RELEASE}pack/", downloads.pack, name="pack"),
    path(f"{_RELEASE}people/", terms.name, name="name-person"),
    path(f"{_GRANT}change/", terms.change, name="change-terms"),
    path(f"{_GRANT}end/", terms.end, name="end-period"),
    path(f"{_GRANT}decline/", terms.decline, name="decline-period"),
    path(f"{_RELEASE}ask/", terms.ask, name="ask-period"),
    path(f"{_RELEASE}withdraw/", terms.withdraw, name="withdraw"),
    path(f"{_RELEASE}repeat/", repetition.repeat, name="repeat"),
]
