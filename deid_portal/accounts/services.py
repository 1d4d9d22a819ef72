import hashlib
import secrets
from collections.abc import Iterable
from datetime import timedelta

from allauth.usersessions.models import UserSession
from django.db import transaction
from django.utils import timezone

from deid_portal.accounts.models import Invitation, Membership, Role, Team, User
from deid_portal.accounts.permissions import check_has_role
from deid_portal.accounts.selectors import still_open
from deid_portal.audit.services import record_event
from deid_portal.web.refusals import Refused

INVITATION_DAYS = 7


@transaction.atomic
def create_team(*, name: str, created_by: User | None = None) -> Team:
    team = Team.objects.create(name=name)
    record_event("team.created", actor=created_by, team=team, subject=team)
    return team


@transaction.atomic
def add_member(*, team: Team, user: User, roles: Iterable[Role], added_by: User | None) -> None:
    for role in roles:
        _, is_new = Membership.objects.get_or_create(team=team, user=user, role=role)
        if is_new:
            _record_member("team.member_added", added_by, team, user, role)


def set_theme(*, user: User, theme: str) -> None:
    """Store the color theme; a preference leaves no audit record."""
    user.theme = User.Theme(theme)
    user.save(update_fields=["theme"])


@transaction.atomic
def close_account(*, user: User, closed_by: User | None = None) -> None:
    """Let nobody sign in as this person again; what they did stays in the record."""
    user.set_unusable_password()
    user.is_active = False
    user.save(update_fields=["password", "is_active"])
    user.memberships.all().delete()
    record_event("account.closed", actor=closed_by, team=None, subject=user)


def check_can_manage(user: User, team: Team) -> None:
    check_has_role(user, team, Role.ADMINISTRATOR, "manage its people")


@transaction.atomic
def set_roles(*, team: Team, user: User, roles: Iterable[Role], set_by: User) -> None:
    """Give a member exactly these roles; none takes them out of the team."""
    check_can_manage(set_by, team)
    Team.objects.select_for_update().get(id=team.id)
    held = {Role(m.role) for m in team.memberships.filter(user=user)}
    if not held:
        raise Refused("This person is not in the team. Invite them first.")
    wanted = set(roles)
    if Role.ADMINISTRATOR in held - wanted:
        _check_another_administrator(team, user)
    team.memberships.filter(user=user, role__in=held - wanted).delete()
    for role in sorted(held - wanted):
        _record_member("team.role_taken", set_by, team, user, role)
    add_member(team=team, user=user, roles=sorted(wanted - held), added_by=set_by)
    user.__dict__.pop("_roles_by_team", None)


def _check_another_administrator(team: Team, user: User) -> None:
    others = team.memberships.filter(role=Role.ADMINISTRATOR, user__is_active=True)
    if not others.exclude(user=user).exists():
        raise Refused("A team needs an administrator. Make somebody else one first.")


def _record_member(action: str, actor: User | None, team: Team, user: User, role: Role) -> None:
    facts = {"person": user.username, "role": role}
    record_event(action, actor=actor, team=team, subject=team, facts=facts)


@transaction.atomic
def invite(
    *, team: Team, invited_by: User, roles: Iterable[Role], email: str = ""
) -> tuple[Invitation, str]:
    """Create an invitation link for one person; it is shown once and never again."""
    check_can_manage(invited_by, team)
    token = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        team=team,
        email=email,
        roles=sorted(roles),
        token_sha256=hashlib.sha256(token.encode()).hexdigest(),
        invited_by=invited_by,
        expires_at=timezone.now() + timedelta(days=INVITATION_DAYS),
    )
    record_event(
        "team.invited",
        actor=invited_by,
        team=team,
        subject=invitation,
        facts={"roles": invitation.roles},
    )
    return invitation, token


@transaction.atomic
def revoke_invitation(*, invitation: Invitation, revoked_by: User) -> None:
    check_can_manage(revoked_by, invitation.team)
    if not Invitation.objects.filter(id=invitation.id, accepted_at=None, revoked_at=None).update(
        revoked_at=timezone.now()
    ):
        raise Refused("This invitation is no longer open.")
    record_event(
        "team.invitation_revoked", actor=revoked_by, team=invitation.team, subject=invitation
    )


@transaction.atomic
def accept_invitation(*, invitation: Invitation, accepted_by: User) -> None:
    """Add the person to the team; of two who open the link at the same time one is refused."""
    mine = Invitation.objects.filter(still_open(), id=invitation.id)
    taken = mine.update(accepted_at=timezone.now(), accepted_by=accepted_by)
    if not taken:
        raise Refused("This invitation was used or taken back. Ask for a new one.")
    record_event(
        "team.invitation_accepted", actor=accepted_by, team=invitation.team, subject=invitation
    )
    roles = [Role(role) for role in invitation.roles]
    add_member(team=invitation.team, user=accepted_by, roles=roles, added_by=invitation.invited_by)


@transaction.atomic
def join_with_new_account(
    *, invitation: Invitation, username: str, full_name: str, password: str
) -> User:
    """Make an account for somebody who was invited, and let them in."""
    user = User.objects.create_user(
        username, email=invitation.email, password=password, first_name=full_name
    )
    record_event("account.created", actor=user, team=invitation.team, subject=user)
    accept_invitation(invitation=invitation, accepted_by=user)
    return user


@transaction.atomic
def end_session(*, user: User, session: UserSession) -> None:
    """Sign a device out at once."""
    session.end()
    record_event("account.session_ended", actor=user, team=None, subject=user)


@transaction.atomic
def record_failed_attempt(
    *,
    user: User | None,
    is_signed_in: bool,
    secret: str,
    network: str,
    known_device: bool,
    reached_limit: bool,
) -> None:
    """Put a wrong password or code on record.

    A name that is no account is not stored: it may be a password typed into the wrong field.
    """
    action = "account.confirmation_failed" if is_signed_in else "account.sign_in_failed"
    facts = {
        "secret": secret,
        "network": network,
        "known_device": known_device,
        "reached_limit": reached_limit,
    }
    actor = user if is_signed_in else None
    record_event(action, actor=actor, team=None, subject=user, facts=facts)
