"""A help page per attack, made from its class and its words, so that it cannot differ from them."""

from collections.abc import Iterator
from functools import cache

from deid_portal.attacks.kinds import ALL_ATTACKS
from deid_portal.attacks.vocabulary import wording_of
from deid_portal.engine.attacks.attack import AnyAttack
from deid_portal.engine.wording.numbers import percent


@cache
def write_attack_pages() -> dict[str, str]:
    """Return the Markdown of every attack's page by its slug."""
    return {f"attack-{name}": _write(name, kind) for name, kind in ALL_ATTACKS.items()}


def _write(name: str, kind: type[AnyAttack]) -> str:
    wording = wording_of(name)
    paragraphs = [
        f"# {wording.title}: {wording.about}",
        wording.explanation,
        *_what_it_needs(kind),
        f"**What is held against the limit.** The share of {wording.unit} at stake. Where the "
        f"team’s policy says nothing, {percent(kind.usual_limit)} are usual. What the words of the "
        "result mean stands in [Attacks on a release](/help/attacks/).",
        "**What it proves.** An attack that succeeds is evidence; one that fails proves nothing "
        "about a better one. What holds against every intruder is what a privacy model promises.",
        kind.cites,
    ]
    return "\n\n".join(paragraphs) + "\n"


def _what_it_needs(kind: type[AnyAttack]) -> Iterator[str]:
    if kind.needs_outside_table():
        yield (
            "**What it needs.** A table of people that a recipient could own, which you bring. It "
            "is stored encrypted and deleted with its key when the test has ended."
        )
    if kind.crosses_releases():
        yield "**What it needs.** At least one earlier release of the same people."
    if kind.holds_out:
        yield (
            "**Who the others are.** People who are not in the release: half of the table is held "
            "out, a release is made of the other half in the same way, and that is attacked. What "
            "succeeds against the others as well was not learned from the release, so only the "
            "gain counts. Better still, bring a table of similar people yourself."
        )
