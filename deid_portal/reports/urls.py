from django.urls import path

from deid_portal.reports import views

app_name = "reports"
urlpatterns = [
    path("runs/<uuid:run_id>/report/", views.report, name="report"),
    path("runs/<uuid:run_id>/report.json", views.report_document, name="document"),
    path("runs/<uuid:run_id>/recipe.zip", views.recipe, name="recipe"),
]
