from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.reviews.models import Comment, ReviewRequest
from deid_portal.reviews.services import mark_answered, write_comment
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


@pytest.fixture
def review(cast: Cast) -> ReviewRequest:
    return factories.make_request(cast.steward, cast.team)


@pytest.mark.parametrize(
    ("about", "kind", "name"),
    [("", "request", ""), ("column:Zip", "column", "Zip"), ("chart:Who pays", "chart", "Who pays")],
)
def test_a_comment_says_what_it_is_about(
    about: str, kind: str, name: str, cast: Cast, review: ReviewRequest, signed_in: SignIn
) -> None:
    sent = {"text": "Why so coarse?", "about": about}
    signed_in(cast.reviewer).post(reverse("reviews:comment", args=[review.id]), sent)
    comment = Comment.objects.get()
    assert (comment.about, comment.about_name) == (kind, name)


def test_a_foreign_column_is_refused(cast: Cast, review: ReviewRequest, signed_in: SignIn) -> None:
    sent = {"text": "Why?", "about": "column:Salary"}
    answer = signed_in(cast.reviewer).post(reverse("reviews:comment", args=[review.id]), sent)
    assert answer.status_code == 422
    assert not Comment.objects.exists()


def test_a_comment_is_answered_and_the_open_ones_are_counted(
    cast: Cast, review: ReviewRequest, signed_in: SignIn
) -> None:
    client = signed_in(cast.reviewer)
    client.post(reverse("reviews:comment", args=[review.id]), {"text": "Why?"})
    comment = Comment.objects.get()
    page = client.get(reverse("reviews:show", args=[review.id]))
    assert {one["name"]: one["count"] for one in page.context["talks"]}["open"] == 1
    signed_in(cast.steward).post(reverse("reviews:answered", args=[review.id, comment.id]))
    comment.refresh_from_db()
    assert comment.answered_by == cast.steward


def test_the_thread_asks_for_itself_alone(
    cast: Cast, review: ReviewRequest, signed_in: SignIn
) -> None:
    there = reverse("reviews:show", args=[review.id])
    part = signed_in(cast.reviewer).get(there, headers={"HX-Request": "true"}).content.decode()
    assert 'id="thread"' in part
    assert "<html" not in part


def test_a_comment_through_htmx_answers_with_the_box_alone(
    cast: Cast, review: ReviewRequest, signed_in: SignIn
) -> None:
    there = reverse("reviews:comment", args=[review.id])
    client, part = signed_in(cast.reviewer), {"HX-Request": "true"}
    said = client.post(there, {"text": "Why?"}, headers=part)
    assert "Why?" in said.content.decode()
    assert "<html" not in said.content.decode()
    empty = client.post(there, {"text": " "}, headers=part)
    assert empty.status_code == 422
    assert "Write something first." in empty.content.decode()


def test_a_long_conversation_folds_what_is_answered(
    cast: Cast, review: ReviewRequest, signed_in: SignIn
) -> None:
    for number in range(9):
        comment = write_comment(request=review, written_by=cast.reviewer, text=f"No. {number}.")
        if number != 4:
            mark_answered(comment=comment, answered_by=cast.steward)
    page = signed_in(cast.reviewer).get(reverse("reviews:show", args=[review.id]))
    blocks = page.context["blocks"]
    assert [(block.is_folded, len(block.entries)) for block in blocks] == [
        (True, 4),
        (False, 1),
        (True, 2),
        (False, 2),
    ]
    assert "4 answered comments" in page.content.decode()
