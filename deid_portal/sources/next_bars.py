"""The bar at the bottom of the pages for reading from a database."""

from django.urls import reverse

from deid_portal.sources.models import Fetch
from deid_portal.web.next_bar import Act, NextBar


def bar_of_databases(*, switched_off: str) -> NextBar:
    back = Act("Upload a file instead", url=reverse("datasets:new"))
    if switched_off:
        return NextBar("No database can be read here.", icon="database-off", secondary=back)
    return NextBar(
        "The portal only reads.",
        "Nothing is copied before you have chosen a table.",
        icon="lock",
        secondary=back,
        primary=Act("Connect and choose a table", form_id="connection-form"),
    )


def bar_of_choice() -> NextBar:
    return NextBar(
        "Nothing is kept until you say so.",
        "After copying you see how the table was read.",
        icon="lock",
        secondary=Act("All databases", url=reverse("sources:list")),
        primary=Act("Copy and look at it", form_id="question-form"),
    )


def bar_of_fetch(fetch: Fetch) -> NextBar:
    databases = Act("All databases", url=reverse("sources:list"))
    if fetch.is_open:
        rest = "You can close this page; the copying goes on."
        return NextBar("The table is being copied.", rest, "clock", secondary=databases)
    again = None
    if fetch.connection_id:
        there = reverse("sources:choose", args=[fetch.connection_id])
        again = Act("Change and try again", url=f"{there}?again={fetch.id}")
    return NextBar(
        "Nothing was kept.",
        "What you asked for is still there.",
        icon="circle-x",
        tone="bad",
        secondary=databases,
        primary=again,
    )
