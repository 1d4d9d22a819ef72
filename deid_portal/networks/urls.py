from django.urls import path

from deid_portal.networks import views

app_name = "networks"
urlpatterns = [
    path("networks/", views.list_networks, name="list"),
    path("networks/new/", views.new, name="new"),
    path("datasets/<uuid:dataset_id>/network/", views.show, name="show"),
    path("datasets/<uuid:dataset_id>/network/reading/", views.reading, name="reading"),
    path("datasets/<uuid:dataset_id>/network/stop/", views.stop, name="stop"),
    path("datasets/<uuid:dataset_id>/network/read-again/", views.read_again, name="read-again"),
    path("datasets/<uuid:dataset_id>/network/changes/", views.changes, name="changes"),
    path("datasets/<uuid:dataset_id>/network/risk/", views.risk, name="risk"),
    path("datasets/<uuid:dataset_id>/network/protection/", views.protection, name="protection"),
    path("datasets/<uuid:dataset_id>/network/plan.json", views.plan_document, name="document"),
]
