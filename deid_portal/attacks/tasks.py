from deid_portal.attacks.execution import give_up_attack, perform_attack
from deid_portal.attacks.models import AttackTest
from deid_portal.attacks.outside import delete_spent_tables
from deid_portal.celery_app import app
from deid_portal.work.leases import claim, pick_up_forgotten
from deid_portal.work.sweep import in_every_sweep


@app.task
def execute_attack(test_id: str) -> None:
    lease = claim(AttackTest, test_id)
    if lease is not None:
        perform_attack(lease)


@in_every_sweep
def pick_up_forgotten_attacks() -> None:
    pick_up_forgotten(AttackTest, execute_attack, give_up_attack)
    delete_spent_tables()
