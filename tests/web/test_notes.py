"""What stands in a box is shown as it was written, and cannot become markup."""

from django.template import Context, Template


def rendered(text: str, **variables: object) -> str:
    return Template("{% load notes %}" + text).render(Context(variables))


def test_a_variable_is_escaped_once() -> None:
    page = rendered('{% note "warn" %}{{ said }}{% endnote %}', said="<b>Ann's</b>")
    assert "&lt;b&gt;Ann&#x27;s&lt;/b&gt;" in page
    page = rendered("{% empty_list %}{{ said }}{% endempty_list %}", said="<b>Ann's</b>")
    assert "&lt;b&gt;Ann&#x27;s&lt;/b&gt;" in page


def test_a_lead_is_escaped_too() -> None:
    assert "&lt;b&gt;" in rendered('{% note "info" lead=lead %}Text.{% endnote %}', lead="<b>")


def test_a_note_can_be_found_and_announced() -> None:
    page = rendered('{% note "ok" note_id="done" live=True %}It is done.{% endnote %}')
    assert 'id="done"' in page
    assert 'role="status"' in page
    assert "It is done." in page


def test_a_button_is_for_those_who_may() -> None:
    action = {"label": "Upload", "url": "/new/", "icon": "upload"}
    assert 'href="/new/"' in rendered(
        "{% empty_list action=action %}None yet.{% endempty_list %}", action=action
    )
    assert "<a" not in rendered("{% empty_list %}None yet.{% endempty_list %}")
