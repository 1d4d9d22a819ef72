"""What a browser asks for on every page is one file of styles."""

import json
from pathlib import Path

from django.core.management import call_command
from pytest_django import Settings

CSS = Path(__file__).parents[2] / "static" / "css"


def collected_styles(settings: Settings, folder: Path) -> str:
    backend = {"BACKEND": "deid_portal.serving.static_files.StaticFiles"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": backend}
    settings.STATIC_ROOT = folder
    call_command("collectstatic", interactive=False, verbosity=0)
    names = json.loads((folder / "staticfiles.json").read_text())["paths"]
    joined: str = (folder / names["css/every_page.css"]).read_text()
    assert (folder / f"{names['css/every_page.css']}.br").exists()
    assert names["vendor/inter-5.3.0-latin.woff2"] in joined.replace("../", "")
    return joined


def test_shared_styles_become_one_file_in_their_order(settings: Settings, tmp_path: Path) -> None:
    joined = collected_styles(settings, tmp_path)
    assert "@import" not in joined
    first_rules = [
        joined.index(rule) for rule in (":root", ".top-bar {", ".card {", ".btn {", ".table ")
    ]
    assert first_rules == sorted(first_rules)


def test_every_shared_style_is_of_a_file() -> None:
    lines = (CSS / "every_page.css").read_text().splitlines()
    imported = [line.split('"')[1] for line in lines if line.startswith("@import")]
    assert len(imported) > 20
    assert all((CSS / name).is_file() for name in imported)
