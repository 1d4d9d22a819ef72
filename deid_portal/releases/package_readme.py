"""README.txt of a package: its files, and how to verify it without the portal."""

from collections.abc import Sequence

from deid_portal.releases.models import Package, TableFormat
from deid_portal.releases.subjects import PackedSubject


def write_readme(
    package: Package, fingerprint: str, names: Sequence[str], notes: Sequence[str]
) -> str:
    release = package.release
    dataset = release.request.run.dataset
    packed, recipe = PackedSubject.of(dataset), _recipe(names, dataset.subject.noun)
    title = f"{dataset.name}, release {release.number}"
    extra = "".join(f"\nNote: {note}\n" for note in notes)
    taxonomies = sum(name.startswith("taxonomies/") for name in names)
    return f"""{title}
{"=" * min(len(title), 78)}

{packed.readme_words(TableFormat(package.format))}datapackage.json
    The columns: type, role, level of detail, labels, meaning and share of gaps
    (Frictionless Data Package, https://specs.frictionlessdata.io).
certificate.html{", certificate.pdf" if "certificate.pdf" in names else ""}
    What was promised, measured, attacked, decided, and by whom.
report.json
    Every number on the certificate.
{recipe}{_taxonomies(taxonomies)}{_answers(names)}SHA256SUMS, SIGNATURE, portal.pub
    The fingerprint of every file, its Ed25519 signature, and the public key.
{extra}
To check it
-----------
With the portal's program, which needs neither its database nor its network:

    python manage.py verify {"PACKAGE.zip"}

It checks the signature and every fingerprint, and computes k, l, t, risks and the
other claims again from the {packed.checked_from}. What cannot be computed without the original
is listed as taken on trust.

The key in this package says who signed it only if it is the portal's. Compare its
fingerprint with the one the portal shows, or give the key you know:

    {fingerprint}
    python manage.py verify {"PACKAGE.zip"} --key KEY-OF-THE-PORTAL.pub

Without the program:

    sha256sum --check SHA256SUMS
    base64 -d SIGNATURE > signature.bin
    openssl pkeyutl -verify -pubin -inkey portal.pub -rawin -in SHA256SUMS -sigfile signature.bin
"""


def _recipe(names: Sequence[str], noun: str) -> str:
    if "plan.json" not in names:
        return ""
    words = f"The recipe: roles, rules, method. It repeats this release on another {noun}."
    return f"plan.json\n    {words}\n"


def _answers(names: Sequence[str]) -> str:
    if "answers.json" not in names:
        return ""
    return (
        "answers.json, answers.csv\n"
        "    Answers of the query desk with noise, intervals and the ε each cost. They are\n"
        "    about the original table, and were drawn once.\n"
    )


def _taxonomies(count: int) -> str:
    if not count:
        return ""
    return (
        f"taxonomies/ ({count} {'file' if count == 1 else 'files'})\n"
        "    How values were joined, in the form of ARX. Values that the table does not\n"
        "    show are numbered.\n"
    )
