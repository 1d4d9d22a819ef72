from django.urls import path

from deid_portal.reviews.views import decision, request

app_name = "reviews"
urlpatterns = [
    path("runs/<uuid:run_id>/review/", request.ask, name="ask"),
    path("reviews/<uuid:request_id>/", decision.show, name="show"),
    path("reviews/<uuid:request_id>/edit/", request.edit, name="edit"),
    path("reviews/<uuid:request_id>/submit/", request.submit_run, name="submit"),
    path("reviews/<uuid:request_id>/take-back/", request.take_back, name="take-back"),
    path("reviews/<uuid:request_id>/decide/", decision.decide_on, name="decide"),
    path("reviews/<uuid:request_id>/waive/", decision.waive, name="waive"),
    path("reviews/<uuid:request_id>/waivers/<int:waiver_id>/agree/", decision.agree, name="agree"),
    path("reviews/<uuid:request_id>/comment/", decision.comment, name="comment"),
    path(
        "reviews/<uuid:request_id>/comments/<int:comment_id>/answered/",
        decision.answered,
        name="answered",
    ),
]
