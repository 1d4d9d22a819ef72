from django.urls import path

from deid_portal.releases import views

app_name = "releases"
urlpatterns = [
    path("releases/", views.list_releases, name="list"),
    path("releases/<uuid:release_id>/", views.show, name="show"),
    path("releases/<uuid:release_id>/package.zip", views.download, name="download"),
]
