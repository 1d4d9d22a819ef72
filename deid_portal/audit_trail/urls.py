from django.urls import path

from deid_portal.audit_trail import views

app_name = "audit"
urlpatterns = [
    path("audit/", views.show, name="show"),
    path("audit/verify/", views.verify, name="verify"),
    path("audit/verification/", views.verification, name="verification"),
    path("audit/export/", views.export_found, name="export"),
]
