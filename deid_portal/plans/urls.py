from django.urls import path

from deid_portal.plans import views

app_name = "plans"
urlpatterns = [
    path("datasets/<uuid:dataset_id>/protection/", views.protection, name="protection"),
    path("datasets/<uuid:dataset_id>/protection/keep/", views.keep, name="keep"),
    path("datasets/<uuid:dataset_id>/protection/promise/", views.promise, name="promise"),
    path("datasets/<uuid:dataset_id>/protection/estimate/", views.estimate, name="estimate"),
    path("datasets/<uuid:dataset_id>/protection/prices/", views.prices, name="prices"),
    path("datasets/<uuid:dataset_id>/populations/", views.add, name="add-population"),
    path(
        "datasets/<uuid:dataset_id>/populations/<uuid:population_id>/remove/",
        views.remove,
        name="remove-population",
    ),
    path("datasets/<uuid:dataset_id>/plan.json", views.plan_document, name="document"),
]
