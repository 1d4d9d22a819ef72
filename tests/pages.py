"""Pages as people read them: where a template breaks a line, a browser shows a space."""

import re
from typing import Any

from django.test import Client

KEPT_AS_WRITTEN = re.compile(r"(<(pre|textarea)\b.*?</\2>)", re.DOTALL)


def as_read(page: str) -> str:
    """Make every run of white space one space, except where a browser shows it as written.

    A no-break space is no white space to a browser.
    """
    parts = KEPT_AS_WRITTEN.split(page)
    read = [re.sub(r"[ \t\r\n\f]+", " ", part) for part in parts[::3]]
    return "".join(text + kept for text, kept in zip(read, [*parts[1::3], ""], strict=True))


class Reader(Client):
    """A browser whose pages can be searched for sentences, however their templates are wrapped."""

    def request(self, **request: Any) -> Any:
        answer = super().request(**request)
        is_page = answer.headers.get("Content-Type", "").startswith("text/html")
        if is_page and not answer.streaming:
            answer.content = as_read(answer.content.decode()).encode()
        return answer
