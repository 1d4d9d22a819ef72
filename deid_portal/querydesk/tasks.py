from deid_portal.celery_app import app
from deid_portal.querydesk.answer_job import give_up_question, perform_question
from deid_portal.querydesk.models import Question
from deid_portal.work.leases import claim, pick_up_forgotten
from deid_portal.work.sweep import in_every_sweep


@app.task
def answer_question(question_id: str) -> None:
    lease = claim(Question, question_id)
    if lease is not None:
        perform_question(lease)


@in_every_sweep
def pick_up_forgotten_questions() -> None:
    pick_up_forgotten(Question, answer_question, give_up_question)
