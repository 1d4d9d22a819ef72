from django.urls import path

from deid_portal.querydesk.views import budgets, desks, lessons, questions

app_name = "querydesk"
urlpatterns = [
    path("query-desk/", desks.list_desks, name="list"),
    path("query-desk/lessons/", lessons.show, name="lessons"),
    path("query-desk/open/<uuid:dataset_id>/", desks.open_dataset, name="open"),
    path("query-desk/wishes/<uuid:wish_id>/", budgets.wish, name="wish"),
    path("query-desk/questions/<uuid:question_id>/", questions.answer, name="answer"),
    path("query-desk/questions/<uuid:question_id>/csv/", questions.answer_csv, name="answer-csv"),
    path("query-desk/questions/<uuid:question_id>/stop/", questions.stop, name="stop"),
    path("query-desk/drafts/<uuid:draft_id>/drop/", questions.drop, name="drop-draft"),
    path("query-desk/<uuid:desk_id>/", questions.show, name="show"),
    path("query-desk/<uuid:desk_id>/answers/", questions.list_answers, name="answers"),
    path("query-desk/<uuid:desk_id>/price/", questions.price, name="price"),
    path("query-desk/<uuid:desk_id>/ask/", questions.ask_question, name="ask"),
    path("query-desk/<uuid:desk_id>/draft/", questions.keep_draft, name="keep-draft"),
    path("query-desk/<uuid:desk_id>/statement/", budgets.statement, name="statement"),
    path("query-desk/<uuid:desk_id>/more/", budgets.more, name="more"),
    path("query-desk/<uuid:desk_id>/accounts/", budgets.accounts, name="accounts"),
    path("query-desk/<uuid:desk_id>/close/", desks.close, name="close"),
]
