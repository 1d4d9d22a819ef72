"""Who is notified about a release, and of what."""

from collections.abc import Iterable

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from deid_portal.accounts.models import Role, User
from deid_portal.accounts.selectors import people_with_role
from deid_portal.notices.services import tell
from deid_portal.releases.models import Grant, Release
from deid_portal.releases.permissions import team_of_release


def tell_that_it_can_be_downloaded(release: Release) -> None:
    """Notify the author and the people with a grant, each once, when the package is there."""
    people = [release.request.asked_by, *_named(release)]
    _tell(people, f"{release} can be downloaded.", "release.created", release, release.approved_by)


def tell_that_it_is_open(people: Iterable[User], release: Release, *, but: User) -> None:
    _tell(people, f"{release} is open to you now.", "release.person_named", release, but)


def tell_that_terms_changed(grant: Grant, *, but: User) -> None:
    if grant.is_over(timezone.now()):
        words = f"{grant.release} is no longer open to you."
    else:
        day = date_format(timezone.localtime(grant.expires_at), "j M Y")
        words = f"You can download {grant.release} until {day}, {grant.left:,} more times."
    _tell([grant.person], words, "release.terms_changed", grant.release, but)


def tell_that_a_period_was_asked_for(grant: Grant) -> None:
    words = f"{grant.person.display_name} asks for a new period of {grant.release}."
    stewards = people_with_role(team_of_release(grant.release), Role.STEWARD)
    _tell(stewards, words, "release.period_asked", grant.release, grant.person, asks=True)


def tell_that_no_period_is_given(grant: Grant, *, but: User) -> None:
    words = f"There is no new period of {grant.release} for you."
    _tell([grant.person], words, "release.period_declined", grant.release, but)


def tell_that_release_was_withdrawn(release: Release, *, but: User) -> None:
    words = f"{release} was withdrawn. Do not use copies of it any more."
    people = [release.request.asked_by, release.approved_by, *_named(release)]
    _tell(people, words, "release.withdrawn", release, but)


def tell_that_release_expired(release: Release) -> None:
    words = f"{release} has expired: the last period is over."
    _tell([release.request.asked_by], words, "release.expired", release, None)


def _named(release: Release) -> list[User]:
    return [grant.person for grant in release.grants.select_related("person")]


def _tell(
    people: Iterable[User],
    words: str,
    kind: str,
    release: Release,
    but: User | None,
    *,
    asks: bool = False,
) -> None:
    url = reverse("releases:show", args=[release.id])
    tell(people, words, kind=kind, url=url, team=team_of_release(release), asks=asks, but=but)
