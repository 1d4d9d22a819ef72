"""What packages of many rows cost: `python -m tests.benchmarks.packages [--rows N]`.

Adult, enlarged, is uploaded, run, reviewed and released as the portal does it; then it is packed in
every format, verified as a recipient would, and fetched over the page that hands it out. Seconds on
the clock, once; the peak of memory is what the process needed beyond what it had before.
The answer is printed and kept in `tests/benchmarks/results/packages.md`.
"""

import argparse
import gc
import io
import os
from pathlib import Path
from time import perf_counter
from typing import Any

from tests.benchmarks.enlarged import enlarge
from tests.benchmarks.intake import MEGABYTE, describe_machine, forget_peak, peak_megabytes
from tests.engine.tables import adult_table

RESULTS = Path(__file__).parent / "results" / "packages.md"
ROWS = 1_000_000
FORMATS = ("csv", "parquet", "xlsx", "sav")
WARM_UP_ROWS = 2_000
FACTS = ("age", "sex", "race", "marital-status")
SENSITIVE = "occupation"
LINE = "| {form} | {size:.0f} | {rows:.0f} | {pack:.1f} | {pack_mb:.0f} | {verify:.1f} | {verify_mb:.0f} | {fetch:.1f} | {fetch_mb:.0f} |"  # noqa: E501


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    options = parser.parse_args()
    prepare()
    measure(WARM_UP_ROWS)  # what every process loads once
    text = write_up(options.rows, measure(options.rows))
    print(text)  # noqa: T201
    if options.rows == ROWS:
        RESULTS.write_text(text, encoding="utf-8")


def prepare() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def measure(rows: int) -> list[dict[str, Any]]:
    """Make a release of so many rows, and take it in every format."""
    release, person = make_release(rows)
    return [measure_format(release, person, form) for form in FORMATS]


def make_release(rows: int) -> tuple[Any, Any]:
    from deid_portal.accounts.models import Role
    from deid_portal.datasets.services import tag_columns
    from deid_portal.plans.services import choose_protection
    from deid_portal.reviews.services import RequestTerms, ask_for_review
    from deid_portal.runs.services import start_run
    from deid_portal.taxonomies.models import ColumnTaxonomy
    from deid_portal.taxonomies.services import set_taxonomy
    from tests import factories
    from tests.engine.tables import csv_bytes

    team = factories.make_team(f"Team of {rows}")
    steward = factories.make_person(f"steward-{rows}", team, Role.STEWARD, Role.ANALYST)
    approver = factories.make_person(f"approver-{rows}", team, Role.APPROVER)
    dataset = factories.make_dataset(steward, team, csv_bytes(enlarge(adult_table(), rows)))
    roles = {column.position: role_of(column.name) for column in dataset.columns.all()}
    tag_columns(dataset=dataset, tagged_by=steward, roles=roles)
    for name in FACTS:
        kind, recipe = ColumnTaxonomy.Kind.INTERVALS, factories.DECADES
        if name != "age":
            values = [text for text in adult_table()[name].values if text is not None]
            kind, recipe = ColumnTaxonomy.Kind.TREE, {"tree": {"*": values}}
        column = dataset.columns.get(name=name)
        set_taxonomy(column=column, changed_by=steward, kind=kind, recipe=recipe)
    rules = [{"model": "k-anonymity", "k": 4}]
    method = {"name": "full-domain", "suppression_limit": 0.1}
    choose_protection(dataset=dataset, chosen_by=steward, rules=rules, method=method)
    run = factories.finish_run(start_run(dataset=dataset, started_by=steward))
    factories.allow_small_groups(team, approver)
    terms = RequestTerms("benchmark", [steward], downloads_per_person=5)
    request = ask_for_review(run=run, asked_by=steward, terms=terms)
    return factories.approve(request, approver), steward


def role_of(name: str) -> str:
    if name in FACTS:
        return "quasi-identifier"
    return "sensitive" if name == SENSITIVE else "insensitive"


def measure_format(release: Any, person: Any, form: str) -> dict[str, Any]:
    from deid_portal.engine.verification.verification import verify_package
    from deid_portal.releases.packages import open_package
    from tests import factories

    found: dict[str, Any] = {"form": form}
    with counted(found, "pack"):
        package = factories.pack(release, form)
    assert package.is_ready, package.problem
    with open_package(package) as stream:
        content = io.BytesIO(stream.read())
    with counted(found, "verify"):
        assert verify_package(content).is_whole
    del content
    with counted(found, "fetch"):
        size = fetch(release, person, form)
    assert size == package.size
    table = next(file for file in package.files if file["name"] == f"release.{form}")
    return {**found, "size": size / MEGABYTE, "rows": table["size"] / MEGABYTE}


def fetch(release: Any, person: Any, form: str) -> int:
    """Take the package over the page, piece by piece, as a server passes it on."""
    from django.test import Client
    from django.urls import reverse

    client = Client(SERVER_NAME="localhost")
    client.force_login(person)
    answer: Any = client.get(f"{reverse('releases:download', args=[release.id])}?as={form}")
    assert answer.status_code == 200
    return sum(len(piece) for piece in answer.streaming_content)


class counted:  # noqa: N801 - reads like a word where it is used
    """Note how long something takes and how much memory it needs beyond what there was."""

    def __init__(self, found: dict[str, Any], name: str) -> None:
        self.found, self.name = found, name

    def __enter__(self) -> None:
        gc.collect()
        self.before, self.started = forget_peak(), perf_counter()

    def __exit__(self, *error: object) -> None:
        self.found[self.name] = perf_counter() - self.started
        self.found[f"{self.name}_mb"] = peak_megabytes() - self.before


def write_up(rows: int, measured: list[dict[str, Any]]) -> str:
    return "\n".join(
        [
            "# Packages of many rows, measured",
            "",
            "`python -m tests.benchmarks.packages` wrote this. Seconds on the clock and megabytes",
            f"beyond what the process had before, once each; a release of {rows:,} rows of Adult,",
            "enlarged. Packing includes writing the table in its format, certificate and PDF,",
            "compression, encryption, and verifying the finished package; verifying stands alone",
            "beside it. Fetching is the download through the page, decrypted piece by piece.",
            "",
            f"Machine: {describe_machine()}.",
            "",
            "| table as | package MB | table MB | pack s | MB | verify s | MB | fetch s | MB |",
            "|---|---|---|---|---|---|---|---|---|",
            *(LINE.format(**one) for one in measured),
            "",
        ]
    )


if __name__ == "__main__":
    main()
