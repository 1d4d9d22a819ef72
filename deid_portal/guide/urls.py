from django.urls import path

from deid_portal.guide import views

app_name = "guide"
urlpatterns = [
    path("", views.home, name="home"),
    path("running/", views.running, name="running"),
    path("bell/", views.bell, name="bell"),
    path("datasets/<uuid:dataset_id>/", views.enter, name="enter"),
    path("find/", views.find, name="find"),
    path("help/", views.help_index, name="help"),
    path("help/<slug:slug>/", views.help_page, name="help-page"),
]
