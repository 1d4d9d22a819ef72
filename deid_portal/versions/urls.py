from django.urls import path

from deid_portal.versions import views

app_name = "versions"
urlpatterns = [
    path("datasets/<uuid:dataset_id>/changes/", views.drift, name="drift"),
    path("datasets/<uuid:dataset_id>/person-column/", views.name_people, name="name-people"),
    path("datasets/<uuid:dataset_id>/versions/", views.history, name="history"),
]
