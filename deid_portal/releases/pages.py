"""The contents of the page of a release, for its viewer."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format

from deid_portal.accounts.models import User
from deid_portal.releases.access import (
    LAST_DAYS,
    SECONDS_OF_A_DAY,
    stand,
    title_for_one,
    title_for_team,
)
from deid_portal.releases.certificates import certificate_kinds, preview_certificate
from deid_portal.releases.forms import NamePersonForm, TermsForm, WithdrawForm
from deid_portal.releases.grants import check_can_ask_for_period, most_allowed, people_to_name
from deid_portal.releases.models import Grant, Package, Release, TableFormat
from deid_portal.releases.packages import package_name, packages_of
from deid_portal.releases.permissions import (
    check_may_hand_over,
    check_may_pack,
    check_may_repeat,
    team_of_release,
)
from deid_portal.releases.policies import check_can_download
from deid_portal.releases.repetition import next_version_of
from deid_portal.releases.selectors import grant_of, grants_seen_by, sees_everybody
from deid_portal.releases.services import check_can_withdraw_release
from deid_portal.releases.subjects import PackedSubject
from deid_portal.reports.subjects import ReportedSubject
from deid_portal.reviews.models import Decision
from deid_portal.web.refusals import refusal

ICONS = {
    "release": "table",
    "edges": "link",
    "nodes": "users",
    "network": "network",
    "datapackage": "books",
    "certificate": "certificate",
    "report": "file-text",
    "plan": "list-numbers",
    "SHA256SUMS": "hash",
    "SIGNATURE": "writing-sign",
    "portal": "key",
}
FOLDER = "taxonomies/"
PHASES = {
    "read": "Reading the approved rows",
    "table": "Writing the table",
    "certificate": "Writing the certificate",
    "documents": "Writing report and recipe",
    "pack": "Packing and signing",
    "verify": "Checking every claim",
}


@dataclass(frozen=True)
class FileLine:
    """A file of the package, or a folder."""

    name: str
    purpose: str
    size: int | None
    sha256: str = ""
    icon: str = "file"
    is_kept_back: bool = False
    files: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class PersonLine:
    """The grant of one person, and the form to change it."""

    grant: Grant
    now: datetime
    form: TermsForm | None = None  # if it is open
    is_gone: bool = False  # no longer in the team

    @property
    def is_over(self) -> bool:
        return self.grant.is_over(self.now)

    @property
    def days(self) -> int:
        """Days until the end, rounded up."""
        left = (self.grant.expires_at - self.now).total_seconds()
        return max(-int(-left // SECONDS_OF_A_DAY), 0)

    @property
    def last_words(self) -> str:
        last = self.grant.last_taken_at
        return moment_words(last, self.now) if last else ""

    @property
    def is_in_last_days(self) -> bool:
        return not self.is_over and self.days <= LAST_DAYS


@dataclass(frozen=True)
class Forms:
    """Submitted forms with errors, which are shown again."""

    name: NamePersonForm | None = None
    terms: tuple[Grant, TermsForm] | None = None
    withdraw: WithdrawForm | None = None


@dataclass(frozen=True)
class PageRequest:
    """The query parameters of the page."""

    format: str
    changing: str = ""  # the grant whose terms are open for a change
    is_naming: bool = False  # the form that names one more person is open


def describe_page(
    person: User, release: Release, wanted: PageRequest, forms: Forms | None = None
) -> dict[str, Any]:
    forms, chosen = forms or Forms(), wanted.format
    run, team = release.request.run, team_of_release(release)
    packages = packages_of(release)
    package = packages.get(chosen)
    is_team = sees_everybody(person, team)
    grants, own = list(grants_seen_by(person, release)), grant_of(person, release)
    standing = stand(release, grants, packages.get(TableFormat.CSV))
    can_hand_over = not refusal(check_may_hand_over, person, release) and not release.is_withdrawn
    title = title_for_team if is_team else title_for_one
    return {
        "dataset": run.dataset,
        "checked_from": PackedSubject.of(run.dataset).checked_from,
        "release": release,
        "run": run,
        "standing": standing,
        "title": title(release, standing),
        "approved_words": approved_words(release),
        "waived": release.request.waivers.filter(
            round=release.request.round, agreed_at__isnull=False
        ).count(),
        "package": package,
        "package_name": package_name(release, chosen),
        "formats": [
            (format.value, format.label, packages.get(format.value)) for format in TableFormat
        ],
        "more_formats": len(packages) > 1,
        "chosen": chosen,
        "verified_words": verified_words(package),
        "files": list_files(package) if package and package.is_ready else [],
        "own": own,
        "people": _people(release, grants, forms, wanted.changing if can_hand_over else ""),
        "sees_everybody": is_team,
        "can_hand_over": can_hand_over,
        "name_form": _name_form(release, wanted, forms) if can_hand_over else None,
        "withdraw_form": forms.withdraw or WithdrawForm(release=release),
        "withdraw_is_open": forms.withdraw is not None,
        "can_withdraw": not refusal(check_can_withdraw_release, person, release),
        "download_refusal": refusal(check_can_download, release, own),
        "can_pack": not release.is_withdrawn and not refusal(check_may_pack, person, release, own),
        "can_repeat": not release.is_withdrawn and not refusal(check_may_repeat, person, release),
        "packing": describe_packing(package) if package else None,
        "can_ask": own is not None and not refusal(check_can_ask_for_period, own),
        "next_version": next_version_of(person, release) if is_team else None,
        "certificate": preview_certificate(release, packages.get(TableFormat.CSV)),
        "certificate_kinds": certificate_kinds(packages.get(TableFormat.CSV)),
        "verdict": ReportedSubject.of(run.dataset).verdict(run.published_report),
        "sees_dataset": is_team,
        "release_base": "dataset_base.html" if is_team else "releases/_base_without_dataset.html",
        "current": "release",
        "help_slug": "release",
    }


def approved_words(release: Release) -> str:
    """Return the names of everybody who approved."""
    votes = release.request.decisions.filter(
        round=release.request.round, verdict=Decision.Verdict.APPROVE
    ).select_related("decided_by")
    names = [vote.decided_by.display_name for vote in votes] or [release.approved_by.display_name]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def list_files(package: Package) -> list[FileLine]:
    """List the files of a package, taxonomies as one line, and files that were not published."""
    single = [file for file in package.files if not file["name"].startswith(FOLDER)]
    folder = [file for file in package.files if file["name"].startswith(FOLDER)]
    lines = [_file_line(file) for file in single]
    names = {line.name for line in lines}
    if "plan.json" not in names:
        lines.append(
            FileLine("plan.json", "kept back by policy", None, icon="lock", is_kept_back=True)
        )
    if folder:
        lines.append(_folder_line(folder))
    order = (
        "release.",
        "edges",
        "nodes",
        "network",
        "groups",
        "group-",
        "datapackage",
        "certificate",
        "report",
        "plan",
        FOLDER,
        "READ",
        "SHA",
    )
    return sorted(lines, key=lambda line: _place(line.name, order))


def _place(name: str, order: Iterable[str]) -> int:
    places = [number for number, start in enumerate(order) if name.startswith(start)]
    return places[0] if places else 99


def _file_line(file: dict[str, Any]) -> FileLine:
    icon = ICONS.get(file["name"].split(".")[0], "file")
    return FileLine(file["name"], file["purpose"], file["size"], file["sha256"], icon)


def _folder_line(files: list[dict[str, Any]]) -> FileLine:
    count = "1 file" if len(files) == 1 else f"{len(files)} files"
    size = sum(file["size"] for file in files)
    purpose = f"{count}; values the release does not show are numbered"
    return FileLine(FOLDER, purpose, size, icon="sitemap", files=files)


def _people(release: Release, grants: list[Grant], forms: Forms, changing: str) -> list[PersonLine]:
    now, most = timezone.now(), most_allowed(release)
    members = set(team_of_release(release).memberships.values_list("user_id", flat=True))
    lines = []
    for grant in grants:
        form = TermsForm(most=most, grant=grant) if str(grant.pk) == changing else None
        if forms.terms is not None and forms.terms[0].pk == grant.pk:
            form = forms.terms[1]
        lines.append(PersonLine(grant, now, form, is_gone=grant.person_id not in members))
    return lines


def _name_form(release: Release, wanted: PageRequest, forms: Forms) -> NamePersonForm | None:
    if forms.name is None and not wanted.is_naming:
        return None
    return forms.name or NamePersonForm(people=people_to_name(release), most=most_allowed(release))


@dataclass(frozen=True)
class Packing:
    """The progress of a package; `percent` is None while unknown."""

    package: Package
    percent: int | None
    words: str


def describe_packing(package: Package) -> Packing:
    if package.status == Package.Status.QUEUED:
        return Packing(package, None, "Waits for a worker")
    percent = min(100 * package.done // package.total, 100) if package.total else None
    return Packing(package, percent, PHASES.get(package.phase, "Packing"))


def verified_words(package: Package | None) -> str:
    """Say when the package was verified after packing, and with which result."""
    if package is None or not package.verified or package.finished_at is None:
        return ""
    word = "Verified" if package.verified["is_whole"] else "Does not verify"
    return f"{word} {moment_words(package.finished_at, timezone.now()).removeprefix('today, ')}"


def moment_words(moment: datetime, now: datetime) -> str:
    """Write a time as "today, 06:02", or with the date."""
    local, today = timezone.localtime(moment), timezone.localtime(now).date()
    if local.date() == today:
        return f"today, {local:%H:%M}"
    return str(date_format(local, "j M Y, H:i"))
