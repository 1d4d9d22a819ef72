"""The person behind a request, with their real type (views run only for people who signed in)."""

from typing import cast

from django.http import Http404, HttpRequest

from deid_portal.accounts.models import Team, User
from deid_portal.accounts.selectors import current_team


def person_of(request: HttpRequest) -> User:
    return cast(User, request.user)


def team_of_or_404(request: HttpRequest) -> Team:
    """Return the team the person works in; somebody without a team finds nothing here."""
    team = current_team(person_of(request), request.session)
    if team is None:
        raise Http404
    return team
