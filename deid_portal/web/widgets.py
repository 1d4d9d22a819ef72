"""Form widgets with the portal's own markup."""

from typing import Any

from django import forms


class CheckboxGroup(forms.CheckboxSelectMultiple):
    """Several boxes to tick, each with the look of the others on the page.

    Attributes given to Django's own go to the box around all of them as well.
    """

    def create_option(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option: dict[str, Any] = super().create_option(*args, **kwargs)
        option["attrs"]["class"] = "form-check-input"
        return option
