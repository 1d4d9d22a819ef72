"""The files of a package, all made from what was approved and stated.

As CSV the rows are the approved bytes, in other formats the same cells. Report, plan and taxonomies
are the published ones (`engine/publication/`). If the policy does not publish recipes, plan.json
and the plan in the report are omitted; the hash of the plan is included, so that a plan handed over
later can be checked.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from deid_portal.engine.progress import ProgressCallback
from deid_portal.engine.report import Report
from deid_portal.querydesk.released_answers import write_answers, write_answers_csv
from deid_portal.releases.models import Package
from deid_portal.releases.package_certificate import Certificate, write_certificate
from deid_portal.releases.package_member import PackageMember, held, to_json
from deid_portal.releases.package_pdf import pdf_refusal, write_pdf
from deid_portal.releases.package_readme import write_readme
from deid_portal.releases.package_signatures import current_signer
from deid_portal.releases.package_statement import release_statement_of
from deid_portal.releases.release_statement import ReleaseStatement
from deid_portal.releases.subjects import PackedSubject
from deid_portal.vault.signing_key import Signer

STEPS = 6
TAXONOMY_PURPOSE = "taxonomy; what the release does not show is numbered"
RECIPE_KEPT = "plan.json is kept back by the policy of the team."


@dataclass(frozen=True)
class Contents:
    members: Sequence[PackageMember]
    signer: Signer
    notes: list[str] = field(default_factory=list)

    @property
    def key_fingerprint(self) -> str:
        return self.signer.fingerprint


def contents_of(package: Package, progress: ProgressCallback) -> Contents:
    """Return all files except the hashes and their signature, which need the bytes of all files."""
    signer, statement = current_signer(), release_statement_of(package.release)
    run = package.release.request.run
    publication, report = run.publication, run.published_report
    progress(0, STEPS, "read")
    packed = PackedSubject.of(run.dataset)
    members = [
        *packed.members(package, report, statement),
        *_answer_members(package, statement),
    ]
    progress(2, STEPS, "certificate")
    html = write_certificate(
        Certificate(statement, report, publication, signer.fingerprint, packed)
    )
    purpose = "risk, detail, gates, waivers, approvals"
    members.append(PackageMember("certificate.html", purpose, held(html)))
    notes = []
    if refusal := pdf_refusal():
        notes.append(refusal)
    else:
        pdf = write_pdf(html)
        members.append(PackageMember("certificate.pdf", "the same, for printing", held(pdf)))
    progress(3, STEPS, "documents")
    keeps_recipe = not statement.publish_recipe
    if keeps_recipe:
        notes.append(RECIPE_KEPT)
    told = _write_report(report, keeps_recipe=keeps_recipe)
    members.append(PackageMember("report.json", "every number on the certificate", told))
    if not keeps_recipe:
        members.append(
            PackageMember(
                "plan.json", "the recipe, repeats this release", to_json(publication.plan)
            )
        )
    members += [
        PackageMember(name, TAXONOMY_PURPOSE, held(text))
        for name, text in sorted(publication.files.items())
    ]
    readme = write_readme(package, signer.fingerprint, [member.name for member in members], notes)
    members.append(
        PackageMember("README.txt", "how to read and to check this package", held(readme))
    )
    members.append(
        PackageMember("portal.pub", "public key of the portal (Ed25519)", held(signer.public_key))
    )
    progress(4, STEPS, "pack")
    return Contents(members, signer, notes)


def _write_report(report: Report, *, keeps_recipe: bool) -> Callable[[], BinaryIO]:
    document = report.to_document()
    if keeps_recipe:
        del document["plan"]
    return to_json(document)


def _answer_members(package: Package, statement: ReleaseStatement) -> list[PackageMember]:
    """Return the answers that were approved with the release."""
    answers = statement.answers
    if not answers:
        return []
    expected = package.release.request.answers_sha256
    purpose = "noisy answers of the query desk, with ε of each"
    return [
        PackageMember("answers.json", purpose, held(write_answers(answers)), expected),
        PackageMember(
            "answers.csv", "the same, one number per line", held(write_answers_csv(answers))
        ),
    ]


def seal_contents(contents: Contents, sums: dict[str, str]) -> list[PackageMember]:
    """Return the list of hashes of all other files, and its signature."""
    lines = "".join(f"{sha256}  {name}\n" for name, sha256 in sums.items()).encode()
    signature = contents.signer.sign(lines)
    return [
        PackageMember("SHA256SUMS", "fingerprints of all files", held(lines)),
        PackageMember("SIGNATURE", "Ed25519 signature of SHA256SUMS", held(signature)),
    ]
