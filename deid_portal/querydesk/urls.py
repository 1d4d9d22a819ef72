from django.urls import path

from deid_portal.querydesk.views import asking, budgets, lessons, opening

app_name = "querydesk"
urlpatterns = [
    path("query-desk/", opening.list_desks, name="list"),
    path("query-desk/lessons/", lessons.show, name="lessons"),
    path("query-desk/open/<uuid:dataset_id>/", opening.open_dataset, name="open"),
    path("query-desk/wishes/<uuid:wish_id>/", budgets.wish, name="wish"),
    path("query-desk/questions/<uuid:question_id>/", asking.answer, name="answer"),
    path("query-desk/questions/<uuid:question_id>/csv/", asking.answer_csv, name="answer-csv"),
    path("query-desk/questions/<uuid:question_id>/stop/", asking.stop, name="stop"),
    path("query-desk/drafts/<uuid:draft_id>/drop/", asking.drop, name="drop-draft"),
    path("query-desk/<uuid:desk_id>/", asking.show, name="show"),
    path("query-desk/<uuid:desk_id>/price/", asking.price, name="price"),
    path("query-desk/<uuid:desk_id>/ask/", asking.ask_question, name="ask"),
    path("query-desk/<uuid:desk_id>/draft/", asking.keep_draft, name="keep-draft"),
    path("query-desk/<uuid:desk_id>/statement/", budgets.statement, name="statement"),
    path("query-desk/<uuid:desk_id>/more/", budgets.more, name="more"),
    path("query-desk/<uuid:desk_id>/accounts/", budgets.accounts, name="accounts"),
    path("query-desk/<uuid:desk_id>/close/", opening.close, name="close"),
]
