from django.urls import path

from deid_portal.policies import views

app_name = "policies"
urlpatterns = [
    path("team/policy/", views.show, name="show"),
    path("team/policy/change/", views.change, name="change"),
]
