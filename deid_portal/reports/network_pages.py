"""What each page of the report of a network shows, put together from the parts."""

from collections.abc import Mapping
from typing import Any

from deid_portal.engine.charts.chart import Chart
from deid_portal.engine.charts.groups import classes_chart
from deid_portal.engine.charts.networks import beside_charts, drawing_chart, knowledge_chart
from deid_portal.engine.charts.risk import risk_chart
from deid_portal.engine.wording.knowledge import KNOWLEDGE_TITLES
from deid_portal.engine.wording.numbers import one_in, percent
from deid_portal.reports.pages import Asked, Context, Section

Report = Mapping[str, Any]


def network_key_numbers(report: Report) -> list[dict[str, str]]:
    """Eight numbers of a network before and after."""
    own, before, after = report["network"], report["risk"]["before"], report["risk"]["after"]
    links = own["links"]
    asked = max((rule["k"] for rule in report["models"] if "k" in rule), default=None)
    return [
        {
            "label": "Hides among (k)",
            "before": f"{_hides(before):,}",
            "value": f"{_hides(after):,}",
            "note": f"asked {asked}" if asked else "not asked",
        },
        {
            "label": "Highest risk",
            "before": percent(before["prosecutor"]["highest"], 0),
            "value": percent(after["prosecutor"]["highest"]),
            "note": one_in(after["prosecutor"]["highest"]),
        },
        {
            "label": "Average risk",
            "before": percent(before["prosecutor"]["average"]),
            "value": percent(after["prosecutor"]["average"]),
            "note": one_in(after["prosecutor"]["average"]),
        },
        {
            "label": "Stand alone",
            "before": percent(before["sample_uniques"]),
            "value": percent(after["sample_uniques"]),
            "note": str(KNOWLEDGE_TITLES[own["knowledge"]]).lower(),
        },
        {
            "label": "People",
            "before": f"{own['nodes']['before']:,}",
            "value": f"{own['nodes']['after']:,}",
            "note": "one way" if own["directed"] else "links go both ways",
        },
        {
            "label": "Links",
            "before": f"{links['before']:,}",
            "value": f"{links['after']:,}",
            "note": f"{links['kept']:,} kept as they were" if "kept" in links else "made up anew",
        },
        {
            "label": "Links changed",
            "value": _changed(links),
            "note": f"{links['added']:,} added, {links['removed']:,} removed"
            if "added" in links
            else "nobody in it stands for a person",
        },
        {
            "label": "Detail lost",
            "before": "0",
            "value": f"{report['utility']['loss']:.4f}",
            "note": "0 none, 1 all",
        },
    ]


def _changed(links: Report) -> str:
    return f"{links['added'] + links['removed']:,}" if "added" in links else "–"


def _hides(risk: Report) -> int:
    highest = risk["prosecutor"]["highest"]
    return round(1 / highest) if highest else 0


def _summary(asked: Asked) -> Context:
    report = asked.report
    return {
        "charts": [knowledge_chart(report), classes_chart(report)],
        "drawings": _drawings(asked),
        "loss_is": f"Detail lost is {report['network']['loss_is']}.",
    }


def _drawings(asked: Asked) -> list[Chart]:
    """Draw the network as it was, for stewards, beside what leaves."""
    beside = asked.report.get("beside")
    if beside:
        return beside_charts(beside)
    after, run = asked.report["network"].get("drawing"), asked.run
    before = run.dataset.network.drawing
    drawings = []
    if before and (before["aggregated"] or asked.sees_values):
        drawings.append(drawing_chart(before, chart_id="before", title="Before"))
    if after:
        drawings.append(drawing_chart(after, chart_id="after", title="As it leaves"))
    return drawings


def _groups(asked: Asked) -> Context:
    return {"chart": classes_chart(asked.report)}


def _risk(asked: Asked) -> Context:
    found = asked.report["network"]["risk"]
    return {
        "charts": [risk_chart(asked.report), knowledge_chart(asked.report)],
        "lines": [_risk_line(known, own) for known, own in found.items()],
    }


def _risk_line(known: str, own: Report) -> dict[str, Any]:
    return {
        "title": KNOWLEDGE_TITLES[known],
        "words": own["words"],
        **{
            when: {
                "alone": own[when]["unique"],
                "below": own[when]["below_k"],
                "least": own[when]["candidates"].get("least", 0),
                "median": own[when]["candidates"].get("median", 0),
            }
            for when in ("before", "after")
        },
        "k": own["after"]["k"],
        "is_exact": own["before"]["exact"] and own["after"]["exact"],
    }


# What is compared, how it is written, and its name; from `engine/networks/structure.py`.
STRUCTURE = (
    ("mean_degree", "Links per person", "{:.2f}"),
    ("largest_degree", "Most links of a person", "{:,}"),
    ("clustering", "Contacts who know each other (clustering)", "{:.3f}"),
    ("triangles", "Triangles", "{:,}"),
    ("components", "Parts without a link between them", "{:,}"),
    ("largest_component", "Share of people in the largest part", "{:.1%}"),
    ("mean_path", "Steps from one person to another", "{:.2f}"),
    ("communities", "Communities", "{:,}"),
)
DISTANCES = (
    ("degrees", "Numbers of links, share that differs"),
    ("spectrum", "Largest eigenvalues, relative distance"),
    ("communities", "Communities, disagreement (0 the same, 1 as by chance)"),
    ("importance_ranks", "Ranks of importance, disagreement"),
    ("most_important_kept", "Of the most important hundredth, share still among them"),
)


def _structure(asked: Asked) -> Context:
    found = asked.report["network"]["structure"]
    before, after = found["before"], found["after"]
    return {
        "lines": [
            (words, form.format(before[name]), form.format(after[name]))
            for name, words, form in STRUCTURE
        ],
        "distances": [
            (words, f"{found['distance'][name]:.3f}")
            for name, words in DISTANCES
            if found["distance"].get(name) is not None
        ],
        "sources": after["path_sources"],
        "title": _structure_title(before, after),
    }


def _structure_title(before: Report, after: Report) -> str:
    old, new = before["clustering"], after["clustering"]
    if old and abs(new - old) / old > NOTICEABLE:
        word = "fewer" if new < old else "more"
        return f"{word.capitalize()} contacts know each other: clustering {old:.3f} → {new:.3f}"
    return "How contacts know each other is much as it was"


NOTICEABLE = 0.1
ATTACK_WORDS = {
    "degree": ("Somebody knows everybody’s number of links", "right on average"),
    "neighbourhood": ("Somebody knows how everybody’s contacts are linked", "right on average"),
    "active": ("Somebody planted fake accounts before the release", "fakes found again"),
}


def _attacks(asked: Asked) -> Context:
    made = asked.report["network"].get("attacks", [])
    return {
        "lines": [_attack_line(own) for own in made if own["attack"] in ATTACK_WORDS],
        "fakes": next((own for own in made if own["attack"] == "fake-links"), None),
        "active": next((own for own in made if own["attack"] == "active"), None),
        "walk": asked.report.get("walk") if asked.sees_values else None,
    }


def _attack_line(own: Report) -> dict[str, str]:
    words, unit = ATTACK_WORDS[own["attack"]]
    low, high = own["interval"]
    sure = own.get("found_for_sure")
    return {
        "title": words,
        "value": f"{percent(own['success'])} {unit}",
        "interval": "counted" if low == high else f"{percent(low)} to {percent(high)}",
        "sure": "" if sure is None else f"{sure:,} found for sure",
    }


FOLDER = "reports/networks"
NETWORK_SECTIONS = {
    section.slug: section
    for section in (
        Section("summary", "Summary", _summary, FOLDER),
        Section("groups", "Groups", _groups, FOLDER),
        Section("risk", "Risk", _risk, FOLDER),
        Section("structure", "Structure", _structure, FOLDER),
        Section("attacks", "Attacks", _attacks, FOLDER),
    )
}
