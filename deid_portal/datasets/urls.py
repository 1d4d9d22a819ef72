from django.urls import path

from deid_portal.datasets.views import columns, upload, upload_pieces

app_name = "datasets"
urlpatterns = [
    path("datasets/", upload.list_datasets, name="list"),
    path("datasets/upload/", upload.new, name="new"),
    path("datasets/upload/arriving/", upload_pieces.begin, name="begin-upload"),
    path("datasets/upload/arriving/<uuid:upload_id>/", upload_pieces.send_piece, name="send-piece"),
    path(
        "datasets/upload/arriving/<uuid:upload_id>/finish/",
        upload_pieces.finish,
        name="finish-upload",
    ),
    path(
        "datasets/upload/arriving/<uuid:upload_id>/give-up/",
        upload_pieces.give_up,
        name="give-up-upload",
    ),
    path("datasets/<uuid:dataset_id>/upload/", upload.preview, name="preview"),
    path("datasets/<uuid:dataset_id>/upload/format/", upload.set_format, name="set-format"),
    path("datasets/<uuid:dataset_id>/upload/place/", upload.place, name="place"),
    path("datasets/<uuid:dataset_id>/upload/keep/", upload.keep, name="keep"),
    path("datasets/<uuid:dataset_id>/upload/reading/", upload.reading, name="reading"),
    path("datasets/<uuid:dataset_id>/upload/stop/", upload.stop, name="stop-reading"),
    path("datasets/<uuid:dataset_id>/discard/", upload.discard, name="discard"),
    path("datasets/<uuid:dataset_id>/deletion/", upload.set_deletion, name="set-deletion"),
    path("datasets/<uuid:dataset_id>/forget/", upload.forget, name="forget"),
    path("datasets/<uuid:dataset_id>/columns/", columns.show, name="columns"),
    path("datasets/<uuid:dataset_id>/columns/tag/", columns.tag_many, name="tag-many"),
    path("datasets/<uuid:dataset_id>/columns/accept/", columns.accept, name="accept"),
    path("datasets/<uuid:dataset_id>/columns/undo/", columns.undo, name="undo"),
    path("datasets/<uuid:dataset_id>/columns/<int:position>/", columns.detail, name="column"),
    path(
        "datasets/<uuid:dataset_id>/columns/<int:position>/isolation/",
        columns.isolation,
        name="isolation",
    ),
    path("datasets/<uuid:dataset_id>/columns/<int:position>/tag/", columns.tag, name="tag"),
    path(
        "datasets/<uuid:dataset_id>/columns/<int:position>/treatment/",
        columns.set_treatment,
        name="set-treatment",
    ),
]
