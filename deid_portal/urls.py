from django.urls import include, path

from deid_portal.serving.views import healthz

handler500 = "deid_portal.web.full_disk.answer_fault"

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("", include("deid_portal.guide.urls")),
    path("", include("deid_portal.accounts.sign_in_urls")),
    path("", include("deid_portal.accounts.urls")),
    path("", include("deid_portal.policies.urls")),
    path("", include("deid_portal.datasets.urls")),
    path("", include("deid_portal.sources.urls")),
    path("", include("deid_portal.pseudonyms.urls")),
    path("", include("deid_portal.taxonomies.urls")),
    path("", include("deid_portal.plans.urls")),
    path("", include("deid_portal.versions.urls")),
    path("", include("deid_portal.networks.urls")),
    path("", include("deid_portal.runs.urls")),
    path("", include("deid_portal.reports.urls")),
    path("", include("deid_portal.attacks.urls")),
    path("", include("deid_portal.querydesk.urls")),
    path("", include("deid_portal.reviews.urls")),
    path("", include("deid_portal.releases.urls")),
    path("", include("deid_portal.audit_trail.urls")),
    path("", include("deid_portal.notices.urls")),
]
