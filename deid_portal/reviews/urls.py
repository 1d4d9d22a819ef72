from django.urls import path

from deid_portal.reviews.views import asking, deciding

app_name = "reviews"
urlpatterns = [
    path("runs/<uuid:run_id>/review/", asking.ask, name="ask"),
    path("reviews/<uuid:request_id>/", deciding.show, name="show"),
    path("reviews/<uuid:request_id>/edit/", asking.edit, name="edit"),
    path("reviews/<uuid:request_id>/submit/", asking.submit_run, name="submit"),
    path("reviews/<uuid:request_id>/take-back/", asking.take_back, name="take-back"),
    path("reviews/<uuid:request_id>/decide/", deciding.decide_on, name="decide"),
    path("reviews/<uuid:request_id>/waive/", deciding.waive, name="waive"),
    path("reviews/<uuid:request_id>/waivers/<int:waiver_id>/agree/", deciding.agree, name="agree"),
    path("reviews/<uuid:request_id>/comment/", deciding.comment, name="comment"),
    path(
        "reviews/<uuid:request_id>/comments/<int:comment_id>/answered/",
        deciding.answered,
        name="answered",
    ),
]
