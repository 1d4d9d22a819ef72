from django.urls import path

from deid_portal.taxonomies import library_views, views

app_name = "taxonomies"
urlpatterns = [
    path("library/", library_views.show_library, name="library"),
    path("library/shelf/<slug:slug>/", library_views.show_shelf_entry, name="shelf-entry"),
    path(
        "library/shelf/<slug:slug>/export/",
        library_views.export_shelf_entry,
        name="export-shelf-entry",
    ),
    path("library/<int:kept_id>/", library_views.show_kept, name="kept"),
    path("library/<int:kept_id>/export/", library_views.export_kept, name="export-kept"),
    path("library/<int:kept_id>/remove/", library_views.remove_kept, name="remove-kept"),
    path("datasets/<uuid:dataset_id>/taxonomies/", views.overview, name="overview"),
    path(
        "datasets/<uuid:dataset_id>/taxonomies/propose/",
        views.propose_missing,
        name="propose-missing",
    ),
    path(
        "datasets/<uuid:dataset_id>/taxonomies/<int:position>/", views.workbench, name="workbench"
    ),
    path(
        "datasets/<uuid:dataset_id>/taxonomies/<int:position>/build/<str:kind>/",
        views.build,
        name="build",
    ),
    path(
        "datasets/<uuid:dataset_id>/taxonomies/<int:position>/try/<str:kind>/",
        views.try_out,
        name="try",
    ),
    path(
        "datasets/<uuid:dataset_id>/taxonomies/<int:position>/file/",
        views.upload_file,
        name="upload-file",
    ),
    path(
        "datasets/<uuid:dataset_id>/taxonomies/<int:position>/remove/", views.remove, name="remove"
    ),
    path(
        "datasets/<uuid:dataset_id>/taxonomies/<int:position>/export/", views.export, name="export"
    ),
    path(
        "datasets/<uuid:dataset_id>/taxonomies/<int:position>/propose/",
        views.propose,
        name="propose",
    ),
    path(
        "datasets/<uuid:dataset_id>/taxonomies/<int:position>/library/<str:key>/",
        views.use_library,
        name="use-library",
    ),
    path(
        "datasets/<uuid:dataset_id>/taxonomies/<int:position>/library/<str:key>/forget/",
        views.forget,
        name="forget",
    ),
    path(
        "datasets/<uuid:dataset_id>/taxonomies/<int:position>/begin-version/",
        views.begin_version,
        name="begin-version",
    ),
    path(
        "datasets/<uuid:dataset_id>/taxonomies/<int:position>/fitting/",
        views.fitting,
        name="fitting",
    ),
    path(
        "datasets/<uuid:dataset_id>/taxonomies/<int:position>/fitting/<str:key>/",
        views.adopt,
        name="adopt",
    ),
    path("datasets/<uuid:dataset_id>/taxonomies/<int:position>/keep/", views.keep, name="keep"),
    path(
        "datasets/<uuid:dataset_id>/taxonomies/<int:position>/public-labels/",
        views.mark_public_labels,
        name="public-labels",
    ),
    path("datasets/<uuid:dataset_id>/taxonomies/<int:position>/edit/", views.edit, name="edit"),
    path(
        "datasets/<uuid:dataset_id>/taxonomies/<int:position>/versions/<int:number>/",
        views.restore,
        name="restore",
    ),
]
