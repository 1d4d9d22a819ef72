from django.urls import path

from deid_portal.sources import views

app_name = "sources"
# Below /datasets/, because a table from a database is a dataset that came another way.
urlpatterns = [
    path("datasets/databases/", views.show_all, name="list"),
    path("datasets/databases/<uuid:connection_id>/", views.choose, name="choose"),
    path("datasets/databases/<uuid:connection_id>/password/", views.password, name="password"),
    path("datasets/databases/<uuid:connection_id>/remove/", views.remove, name="remove"),
    path("datasets/copies/<uuid:fetch_id>/", views.fetch, name="fetch"),
    path("datasets/copies/<uuid:fetch_id>/stop/", views.stop, name="stop"),
]
