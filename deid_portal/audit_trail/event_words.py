"""What the record says, in words: a sentence for each kind of event, a name for each fact.

A room names its events; here stands what people read of them. A test holds a sentence for every
event that the code can write. Events of versions before this one are shown by their own name.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from deid_portal.engine.wording.numbers import thousands
from deid_portal.web.templatetags.numbers import filesize_words

SENTENCES: Mapping[str, str] = {
    "account.closed": "Closed the account",
    "account.confirmation_failed": "Failed to confirm the password",
    "account.created": "Opened an account",
    "account.password_changed": "Changed the password",
    "account.second_factor_added": "Added a second factor for signing in",
    "account.second_factor_removed": "Removed a second factor for signing in",
    "account.session_ended": "Ended a session",
    "account.sign_in_failed": "Failed to sign in",
    "attack.failed": "An attack broke off",
    "attack.finished": "An attack came to its result",
    "attack.started": "Started an attack on a run",
    "attack.stop_requested": "Asked an attack to stop",
    "attack.stopped": "An attack was stopped",
    "attack.table_brought": "Brought an outside table for an attack",
    "audit.break_accepted": "Accepted the chain as it was found",
    "audit.exported": "Exported records",
    "audit.verification_asked": "Had all records verified",
    "budget.asked_for": "Asked for more budget",
    "budget.declined": "Declined more budget",
    "budget.granted": "Granted more budget",
    "budget.raised": "Raised the budget of a dataset",
    "data_key.rotated": "Changed the key that everything is encrypted with",
    "dataset.carried_over": "Decisions were carried over from the version before",
    "dataset.columns_tagged": "Said what columns are",
    "dataset.deletion_day_set": "Set the day of deletion",
    "dataset.discarded": "Discarded an upload",
    "dataset.forgotten": "The table was deleted",
    "dataset.format_changed": "Changed how the file is read",
    "dataset.kept": "Kept the upload as a dataset",
    "dataset.not_read": "The file could not be read",
    "dataset.person_column_named": "Named the column that says who is who",
    "dataset.placed": "Said which version of a dataset it is",
    "dataset.read": "The file was read",
    "dataset.reading_stopped": "Stopped the reading of the file",
    "dataset.renamed": "Renamed the dataset",
    "dataset.tagging_undone": "Took back what columns are",
    "dataset.treatment_chosen": "Chose what becomes of identifiers",
    "dataset.uploaded": "Uploaded a file",
    "desk.closed": "Closed the query desk for a dataset",
    "desk.opened": "Opened the query desk for a dataset",
    "desk.terms_changed": "Changed the terms of the query desk",
    "lesson.tried": "Tried a lesson about noise",
    "library.taxonomy.kept": "Put a taxonomy into the library",
    "library.taxonomy.removed": "Removed a taxonomy from the library",
    "network.not_read": "The network could not be read",
    "network.read": "The network was read",
    "network.read_again": "Had the network read differently",
    "network.reading_stopped": "Stopped the reading of the network",
    "network.uploaded": "Uploaded a network",
    "package.failed": "The package could not be packed",
    "package.packed": "The package was packed",
    "package.requested": "Asked for a package",
    "package.stopped": "The packing was stopped",
    "plan.population_added": "Added a table of the population",
    "plan.population_removed": "Removed a table of the population",
    "plan.protection_chosen": "Chose the protection",
    "policy.changed": "Changed the policy of the team",
    "portal.upload_refused": "An upload was refused",
    "pseudonyms.key_destroyed": "Destroyed a key of pseudonyms",
    "pseudonyms.key_made": "A key for pseudonyms was made",
    "pseudonyms.key_rotated": "Changed the key of pseudonyms",
    "pseudonyms.looked_up": "Looked up whom a pseudonym stands for",
    "pseudonyms.way_back_destroyed": "Destroyed the way back from pseudonyms",
    "pseudonyms.way_back_kept": "The way back from pseudonyms was kept",
    "question.answered": "A question was answered",
    "question.asked": "Asked a question and paid for it",
    "question.draft_dropped": "Threw away a question not yet asked",
    "question.drafted": "Put a question aside for later",
    "question.failed": "A question could not be answered",
    "question.repeated": "Asked again what was answered before",
    "question.stop_requested": "Asked a question to be taken back",
    "question.stopped": "Took a question back",
    "release.created": "A release was made",
    "release.downloaded": "Downloaded a release",
    "release.expired": "A release expired",
    "release.period_asked": "Asked for more time to download",
    "release.period_declined": "Declined more time to download",
    "release.period_ended": "Ended somebody’s time to download",
    "release.person_named": "Named somebody who may download",
    "release.terms_changed": "Changed the terms of a download",
    "release.withdrawn": "Withdrew a release",
    "review.approved": "A request was approved",
    "review.asked": "Asked for a review",
    "review.comment_answered": "Answered a comment",
    "review.commented": "Commented on a request",
    "review.drafted": "Changed the answers of a request",
    "review.expired": "A request expired",
    "review.changes_requested": "Changes were asked for",
    "review.rejected": "A request was rejected",
    "review.reminded": "Reviewers were reminded",
    "review.resubmitted": "Submitted a request again",
    "review.voted": "Voted on a request",
    "review.waiver_agreed": "Agreed to pass over a gate",
    "review.waiver_asked": "Asked to pass over a gate",
    "review.withdrawn": "Withdrew a request",
    "run.failed": "A run failed",
    "run.finished": "A run came to its result",
    "run.moved_ahead": "Moved a run ahead of others",
    "run.promoted": "Promoted a run",
    "run.promotion_undone": "Took back the promotion of a run",
    "run.repeats_release": "Repeated the plan of an earlier release",
    "run.rows_compared": "Looked at original and released rows side by side",
    "run.started": "Started a run",
    "run.stop_requested": "Asked a run to stop",
    "run.stopped": "A run was stopped",
    "signing_key.first_used": "The key that signs packages was used for the first time",
    "source.connection_added": "Added a connection to a database",
    "source.connection_removed": "Removed a connection to a database",
    "source.fetch_started": "Started to copy from a database",
    "source.fetch_stopped": "Stopped copying from a database",
    "source.not_fetched": "Nothing could be copied from the database",
    "source.password_changed": "Changed the password of a connection",
    "sweep.started": "Started a sweep of runs",
    "sweep.stopped": "Stopped a sweep of runs",
    "taxonomy.changed": "Built a taxonomy",
    "taxonomy.edited": "Changed a taxonomy",
    "taxonomy.removed": "Removed a taxonomy",
    "team.created": "Founded the team",
    "team.invitation_accepted": "Accepted an invitation",
    "team.invitation_revoked": "Revoked an invitation",
    "team.invited": "Invited somebody",
    "team.member_added": "Gave somebody a role",
    "team.role_taken": "Took a role from somebody",
    "upload.given_up": "Gave up an upload",
    "upload.renamed": "Renamed an upload on its way",
    "upload.started": "Began to upload a file",
}

# What events are about, as pages call it; every kind of row that events name is here.
KINDS: Mapping[str, str] = {
    "arrivingupload": "an upload on its way",
    "attacktest": "an attack",
    "columntaxonomy": "a taxonomy",
    "connection": "a connection to a database",
    "dataset": "a dataset",
    "datasetcolumn": "a column",
    "desk": "a query desk",
    "draft": "a question put aside",
    "fetch": "a copy from a database",
    "grant": "a permission to download",
    "invitation": "an invitation",
    "librarytaxonomy": "a taxonomy in the library",
    "network": "a network",
    "outsidetable": "an outside table",
    "package": "a package",
    "policy": "a policy",
    "populationtable": "a table of the population",
    "portal": "the portal",
    "pseudonymkey": "a key of pseudonyms",
    "question": "a question",
    "release": "a release",
    "reviewrequest": "a request",
    "run": "a run",
    "sweep": "a sweep",
    "team": "the team",
    "user": "an account",
    "wayback": "a way back from pseudonyms",
    "wish": "a wish for more budget",
}

MICRO = 1_000_000
LONGEST = 80
HASH = re.compile(r"\b[0-9a-f]{64}\b")
Say = Callable[[Any], str]


def say_epsilon(micro: Any) -> str:
    return f"ε {micro / MICRO:g}" if isinstance(micro, int | float) else "no limit"


def say_bytes(count: Any) -> str:
    return filesize_words(count)


def say_words(value: Any) -> str:
    """Write names of methods, attacks and roles as words: k-degree stays, singling_out does not."""
    return value.replace("_", " ") if isinstance(value, str) else say_anything(value)


def say_anything(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return thousands(value)
    if isinstance(value, list):
        text = ", ".join(say_words(one) for one in value)
    elif isinstance(value, dict):
        text = ", ".join(
            f"{name_of_fact(name)}: {say_anything(own)}" for name, own in value.items()
        )
    else:
        text = str(value)
    return _shortened(HASH.sub(lambda found: f"{found[0][:8]}…", text))


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


@dataclass(frozen=True)
class FactWords:
    label: str
    say: Say = say_anything


FACTS: Mapping[str, FactWords] = {
    "analyst_micro": FactWords("for each person", say_epsilon),
    "arrived": FactWords("arrived", say_bytes),
    "attempt": FactWords("attempt"),
    "bytes": FactWords("size", say_bytes),
    "changed": FactWords("changed", say_words),
    "columns": FactWords("columns"),
    "copies_taken": FactWords("copies taken before"),
    "delete_on": FactWords("deletes itself on"),
    "from_run": FactWords("based on run"),
    "granted_micro": FactWords("granted", say_epsilon),
    "height": FactWords("levels"),
    "kind": FactWords("kind", say_words),
    "next_of": FactWords("next version of"),
    "output_sha256": FactWords("fingerprint of the release"),
    "package_sha256": FactWords("fingerprint of the package"),
    "plan_sha256": FactWords("fingerprint of the plan"),
    "pool_micro": FactWords("for all together", say_epsilon),
    "price_micro": FactWords("price", say_epsilon),
    "ran_before": FactWords("of them run before"),
    "repeats_release": FactWords("repeats release"),
    "retry_of_run": FactWords("repeats run"),
    "searched_by": FactWords("searched by", say_words),
    "sha256": FactWords("fingerprint"),
    "signed_by": FactWords("signed with the key"),
    "smallest_micro": FactWords("least price", say_epsilon),
    "times": FactWords("time of this person"),
    "total_micro": FactWords("for the whole dataset", say_epsilon),
    "varied": FactWords("varied"),
}


def sentence_of(action: str) -> str:
    """Return the sentence of a kind of event; of one no longer written, its own name."""
    return SENTENCES.get(action) or action.replace(".", " ").replace("_", " ").capitalize()


def kind_words(kind: str) -> str:
    return KINDS.get(kind, kind)


def name_of_fact(name: str) -> str:
    known = FACTS.get(name)
    return known.label if known is not None else name.removesuffix("_micro").replace("_", " ")


def say_fact(name: str, value: Any) -> str:
    known = FACTS.get(name)
    if known is not None:
        return known.say(value)
    return say_epsilon(value) if name.endswith("_micro") else say_words(value)


def actions_with(word: str) -> list[str]:
    """Return the kinds of events whose sentence has a word, for searching what is read."""
    wanted = word.lower()
    return [action for action, sentence in SENTENCES.items() if wanted in sentence.lower()]


def document_of(facts: Mapping[str, Any]) -> str:
    """Return the facts as they are recorded, for whoever wants them exactly."""
    return json.dumps(dict(facts), ensure_ascii=False, sort_keys=True)
