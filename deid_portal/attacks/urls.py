from django.urls import path

from deid_portal.attacks import views

app_name = "attacks"
urlpatterns = [
    path("runs/<uuid:run_id>/attacks/", views.show, name="show"),
    path("runs/<uuid:run_id>/attacks/progress/", views.progress, name="progress"),
    path("runs/<uuid:run_id>/attacks/start/", views.start, name="start"),
    path("runs/<uuid:run_id>/attacks/outside/", views.bring_outside, name="bring-outside"),
    path("runs/<uuid:run_id>/attacks/outside/start/", views.start_outside, name="start-outside"),
    path(
        "runs/<uuid:run_id>/attacks/outside/discard/", views.discard_outside, name="discard-outside"
    ),
    path("runs/<uuid:run_id>/attacks/<slug:key>/stop/", views.stop, name="stop"),
    path("runs/<uuid:run_id>/attacks/<slug:key>/compare/", views.compare, name="compare"),
]
