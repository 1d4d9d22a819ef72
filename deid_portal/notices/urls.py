from django.urls import path

from deid_portal.notices import views

app_name = "notices"
urlpatterns = [
    path("notices/", views.list_notices, name="list"),
    path("notices/read/", views.read_all, name="read-all"),
    path("notices/mails/", views.choose, name="choose-mails"),
]
