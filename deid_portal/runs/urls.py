from django.urls import path

from deid_portal.runs import sweep_views, views

app_name = "runs"
urlpatterns = [
    path("datasets/<uuid:dataset_id>/runs/", views.list_runs, name="list"),
    path("datasets/<uuid:dataset_id>/runs/start/", views.start, name="start"),
    path("runs/<uuid:run_id>/", views.show, name="show"),
    path("runs/<uuid:run_id>/progress/", views.progress, name="progress"),
    path("runs/<uuid:run_id>/stop/", views.stop, name="stop"),
    path("runs/<uuid:run_id>/try/", views.try_change, name="try"),
    path("runs/<uuid:run_id>/retry/", views.retry, name="retry"),
    path("runs/<uuid:run_id>/next/", views.move_ahead, name="move-ahead"),
    path("datasets/<uuid:dataset_id>/sweep/", sweep_views.sweep, name="sweep"),
    path("datasets/<uuid:dataset_id>/sweep/size/", sweep_views.sweep_size, name="sweep-size"),
    path("sweeps/<uuid:sweep_id>/stop/", sweep_views.stop, name="stop-sweep"),
]
