from django.urls import path

from deid_portal.reviews import views

app_name = "reviews"
urlpatterns = [
    path("runs/<uuid:run_id>/review/", views.ask, name="ask"),
    path("reviews/<uuid:request_id>/", views.show, name="show"),
    path("reviews/<uuid:request_id>/decide/", views.decide_on, name="decide"),
    path("reviews/<uuid:request_id>/comment/", views.comment, name="comment"),
    path("reviews/<uuid:request_id>/take-back/", views.take_back, name="take-back"),
]
