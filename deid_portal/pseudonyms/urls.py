from django.urls import path

from deid_portal.pseudonyms import views

app_name = "pseudonyms"
urlpatterns = [
    path("team/pseudonyms/", views.show, name="show"),
    path("team/pseudonyms/rotate/", views.rotate, name="rotate"),
    path("team/pseudonyms/<uuid:way_back_id>/", views.way_back, name="way-back"),
    path("team/pseudonyms/<uuid:way_back_id>/destroy/", views.destroy, name="destroy"),
]
