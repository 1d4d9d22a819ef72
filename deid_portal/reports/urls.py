from django.urls import path

from deid_portal.reports import board_views, views

app_name = "reports"
urlpatterns = [
    path("runs/<uuid:run_id>/report/", views.report, name="report"),
    path("runs/<uuid:run_id>/report/<slug:section>/", views.report, name="section"),
    path("runs/<uuid:run_id>/report.json", views.report_document, name="document"),
    path("runs/<uuid:run_id>/recipe.zip", views.recipe, name="recipe"),
    path("datasets/<uuid:dataset_id>/board/", board_views.board, name="board"),
    path("datasets/<uuid:dataset_id>/board/running/", board_views.running, name="board-running"),
    path(
        "datasets/<uuid:dataset_id>/board/comparison.csv",
        board_views.comparison,
        name="comparison",
    ),
    path("runs/<uuid:run_id>/promote/", board_views.promote, name="promote"),
    path("runs/<uuid:run_id>/promote/undo/", board_views.undo, name="undo-promotion"),
]
