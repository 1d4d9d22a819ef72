"""The user of a request, with the type User (views run only for signed-in people)."""

from typing import cast

from django.http import Http404, HttpRequest

from deid_portal.accounts.models import Team, User
from deid_portal.accounts.selectors import current_team


def person_of(request: HttpRequest) -> User:
    return cast(User, request.user)


def team_of_or_404(request: HttpRequest) -> Team:
    """Return the current team of the person; 404 without a team."""
    team = current_team(person_of(request), request.session)
    if team is None:
        raise Http404
    return team
