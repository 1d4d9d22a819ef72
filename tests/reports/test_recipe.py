"""The recipe of a run, taken to the command line, gives the same rows."""

import io
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.vault import vault
from tests import factories
from tests.conftest import Cast

ROOT = Path(__file__).parent.parent.parent


def test_the_command_line_repeats_the_run(
    cast: Cast, signed_in: Callable[[User], Client], tmp_path: Path
) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    answer = signed_in(cast.steward).get(reverse("reports:recipe", args=[run.id]))
    zipfile.ZipFile(io.BytesIO(answer.content)).extractall(tmp_path / "recipe")
    command = [sys.executable, "manage.py", "protect", str(factories.PATIENTS)]
    command += ["--plan", str(tmp_path / "recipe" / "plan.json"), "--out", str(tmp_path / "out")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with vault.open_reader(run.release_file) as stream:
        assert (tmp_path / "out" / "release.csv").read_bytes() == stream.read()
