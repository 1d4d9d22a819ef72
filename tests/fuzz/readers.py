"""Every reader of something that comes from outside, with small sound files to damage."""

import gzip
import io
import json
import random
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet

from deid_portal.engine import Column, Plan, Table
from deid_portal.engine.differential.plan import QueryPlan, load_query_plan
from deid_portal.engine.files import table_reader
from deid_portal.engine.files.column_types import TypeChoice
from deid_portal.engine.files.csv.format import CsvFormat
from deid_portal.engine.files.file_format import FileFormat, FileKind
from deid_portal.engine.files.limits import ReadingLimits
from deid_portal.engine.files.own_workbook import read_own_workbook
from deid_portal.engine.files.table_reader import (
    detect_file,
    list_row_problems,
    preview_file,
    read_table,
)
from deid_portal.engine.files.writer import write_table
from deid_portal.engine.networks import NetworkPlan
from deid_portal.engine.networks.files.reader import detect_network, read_network
from deid_portal.engine.networks.plan import load_network_plan
from deid_portal.engine.plan import load_plan
from deid_portal.engine.taxonomies import parse_json, parse_pasted, parse_rules
from deid_portal.engine.taxonomies.files import FileTaxonomy
from deid_portal.engine.verification.signatures import fingerprint_of
from deid_portal.engine.verification.verification import verify_package
from tests.engine.files import files
from tests.engine.tables import DATA

NAMES = ("name", "age", "note")
ROWS = [("Ann", 31, "x"), ("Zoë", 47, ""), ("José, jr.", 5, 'says "hi"'), ("Bo", 99, None)]
TEXT = 'name;age;seen\nAnn;31;2024-01-31\n"Zoë; jr.";4,5;1.2.2024\nBo;?;NA\n'
ENCODINGS = ("utf-8", "utf-16", "utf-32", "cp1252", "latin-1", "cp1250", "cp1251", "iso-8859-7")
LIMITS = ReadingLimits(unpacked_mb=64, memory_mb=512, minutes=1)
COLORS = Column.from_cells("color", ["red", "orange", "blue", None, "red"])


@dataclass(frozen=True)
class Reader:
    """`read` gets a damaged file, and chance that may decide how it is read.

    A file that is read apart may kill its reader, which costs a sentence
    (`files/isolated_reader.py`). Here it is mostly read in the process of the fuzzer, which is as
    far apart and a lot faster.
    """

    seeds: Callable[[], Sequence[bytes]]
    read: Callable[[bytes, random.Random], object]
    is_apart: bool = False


def _open_file(content: bytes, chance: random.Random) -> None:
    """Do with an upload what the portal does: look, show, read, and list what is wrong."""
    form = detect_file(io.BytesIO(content), limits=LIMITS).format
    if isinstance(form.settings, CsvFormat) and chance.random() < 0.5:
        form = replace(form, settings=_other_settings(form.settings, chance))
    if chance.random() < 0.2:
        form = replace(form, types={chance.randrange(3): chance.choice(list(TypeChoice))})
    form = FileFormat.from_document(json.loads(json.dumps(form.to_document())))
    list_row_problems(io.BytesIO(content), form, limits=LIMITS)
    preview_file(io.BytesIO(content), form, limits=LIMITS)
    table = read_table(io.BytesIO(content), form, limits=LIMITS)
    assert table.rows
    assert table.head(3)


def _open_apart(content: bytes, chance: random.Random) -> None:
    """Go through the door of the portal now and then, and past it else."""
    apart = table_reader.KINDS_READ_APART
    if chance.random() < 0.98:
        table_reader.KINDS_READ_APART = frozenset()
    try:
        _open_file(content, chance)
    finally:
        table_reader.KINDS_READ_APART = apart


def _other_settings(settings: CsvFormat, chance: random.Random) -> CsvFormat:
    """Settings as a steward may choose them."""
    return replace(
        settings,
        encoding=chance.choice([settings.encoding, *ENCODINGS]),
        delimiter=chance.choice([settings.delimiter, *",;\t|"]),
        quote=chance.choice(['"', "'", "\x1f"]),
        has_header=chance.random() < 0.5,
        decimal=chance.choice(".,"),
        missing=("NA",),
    )


def _texts() -> list[bytes]:
    one = ["id\n1\n2\n\n4\n", "a\tb\r\n1\t2\r\n3\t4\r\n", "a,'b,c',d\n1,'2,3',4\n", "1,2\n3,4"]
    return [
        *(TEXT.encode(encoding, "replace") for encoding in ENCODINGS),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-16-be"),
        *(text.encode() for text in one),
        ("x,y\n" + "1,2\n" * 300).encode(),
    ]


def _workbooks() -> list[bytes]:
    book = openpyxl.Workbook()
    page = book.active
    page.append(["A title"])
    page.append([])
    page.append(["name", "day", "code", "sum", "yes"])
    page.append(["Ann", datetime(2024, 1, 31), 7, "=1+1", True])
    page.append(["Bo", time(12, 30), 8.5, "#N/A", False])
    page.append(["Cid", timedelta(hours=30), None, "x", None])
    page["C4"].number_format = "00000"
    page.merge_cells("A4:A6")
    page.row_dimensions[5].hidden = True
    book.create_sheet("Other").append(["a", "b"])
    return [files.xlsx(NAMES, ROWS), _with_shared_strings(files.saved(book)), files.saved(book)]


def _with_shared_strings(book: bytes) -> bytes:
    """Leave out styles, which programs other than Excel do as well."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as old, zipfile.ZipFile(stream, "w") as new:
        for part in old.namelist():
            if not part.startswith(("docProps", "xl/theme")):
                new.writestr(part, old.read(part))
    return stream.getvalue()


def _parquet_files() -> list[bytes]:
    table = pa.table(
        {
            "text": ["Ann", "Bo", None],
            "number": pa.array([1.5, None, 3.0], pa.float32()),
            "whole": pa.array([1, 2, 3], pa.int64()),
            "day": [date(2024, 1, 31), None, date(1900, 1, 1)],
            "moment": pa.array([datetime(2024, 1, 1), None, datetime(1, 1, 1)], pa.timestamp("us")),
            "there": pa.array([0, 10**9, None], pa.timestamp("ns", "Europe/Berlin")),
            "clock": pa.array([time(1, 2), None, time(3)], pa.time64("ns")),
            "long": pa.array([1, 2, None], pa.duration("ns")),
            "price": [Decimal("1.50"), None, Decimal("2.25")],
            "yes": [True, None, False],
            "group": pa.array(["a", "b", "a"]).dictionary_encode(),
        }
    )
    found = []
    for options in ({}, {"compression": "gzip", "version": "1.0"}, {"use_dictionary": False}):
        stream = io.BytesIO()
        pa.parquet.write_table(table, stream, **options)
        found.append(stream.getvalue())
    return [*found, files.parquet(NAMES, ROWS)]


def _statistics(write: Callable[..., bytes], **about: Any) -> list[bytes]:
    labels = {"variable_value_labels": {"age": {31: "young", 47: "old"}}} if about else {}
    rows = [(name, age, note or "") for name, age, note in ROWS]
    numbers = [(float(n), n / 7) for n in range(9)]
    return [write(NAMES, rows, **labels), write(("a", "b"), numbers)]


def _spss() -> list[bytes]:
    return [*_statistics(files.sav, labels=True), files.sav(("a",), [(1.0,)] * 9, compress=True)]


def _stata() -> list[bytes]:
    old = [files.dta(("a", "b"), [(1.5, "x"), (2.5, "yy")], version=n) for n in (8, 10, 12, 13)]
    return [*_statistics(files.dta, labels=True), *old]


def _sas_transport() -> list[bytes]:
    return [*_statistics(files.xpt), (DATA / "sas" / "paxraw_d_short.xpt").read_bytes()[:3000]]


def _own_workbooks() -> list[bytes]:
    stream = io.BytesIO()
    cells = zip(*[(name, str(age), note) for name, age, note in ROWS], strict=True)
    columns = (Column.from_cells(*pair) for pair in zip(NAMES, cells, strict=True))
    write_table(Table(tuple(columns)), stream, FileKind.EXCEL)
    return [stream.getvalue()]


def _taxonomy_files() -> list[bytes]:
    return [b"red;Warm;*\norange;Warm;*\nblue;Cold;*\n", b'"a;b",x\n,x\n', "\ufeffé;*\n".encode()]


def _taxonomy_trees() -> list[bytes]:
    tree = {
        "taxonomy": {
            "name": "*",
            "level": 2,
            "children": [
                {"name": "Warm", "level": 1, "children": [{"value": "red"}, {"value": "orange"}]},
                {"value": "blue"},
                {"value": None},
            ],
        },
        "levels": ["exact", "warmth", "hidden"],
    }
    plain = {"*": {"Warm": ["red", "orange"], "Cold": {"blue": []}}}
    return [json.dumps(one).encode() for one in (tree, plain, {"tree": plain})]


def _pasted() -> list[bytes]:
    return [b"red\tWarm\norange\t\nblue\tCold\n", b"red;Warm;All\nblue;Cold;All"]


def _read_pasted(content: bytes, chance: random.Random) -> None:
    parse_pasted(content.decode("utf-8", "replace"), COLORS)


def _rules() -> list[bytes]:
    return [b"Europe > North = starts with 1, 2\nRest = everything else", b"A = like r*\nB = red"]


def _read_rules(content: bytes, chance: random.Random) -> None:
    parse_rules(content.decode("utf-8", "replace"))


def _plans() -> list[bytes]:
    taxonomies: list[dict[str, Any]] = [
        {"intervals": {"start": 0, "width": 5, "widen": [2, 2]}},
        {"mask": {"from": "right", "character": "*"}},
        {"tree": {"*": {"Warm": ["red"], "Cold": ["blue"]}}},
        {"dates": ["month", "year"]},
        {"flat": True},
    ]
    columns: dict[str, Any] = {
        f"q{place}": {"role": "quasi-identifier", "taxonomy": taxonomy, "weight": 0.5}
        for place, taxonomy in enumerate(taxonomies)
    }
    columns["name"] = {"role": "identifier", "treatment": "pseudonym"}
    columns["condition"] = {"role": "sensitive"}
    models = [
        {"model": "k-anonymity", "k": 5},
        {"model": "l-diversity", "l": 3, "column": "condition"},
        {"model": "t-closeness", "t": 0.3, "column": "condition", "distance": "equal"},
    ]
    methods: list[dict[str, Any]] = [
        {"name": "full-domain", "suppression_limit": 0.02, "metric": "loss"},
        {"name": "mondrian", "k": 5},
        {"name": "noise", "columns": ["q0"], "scale": 0.2},
    ]
    basis = {"plan": 1, "columns": columns, "models": models, "seed": 7}
    return [json.dumps(basis | {"method": method}).encode() for method in methods]


def _network_plans() -> list[bytes]:
    basis: dict[str, Any] = {"plan": 1, "network": {"directed": False}}
    plans = [
        {"models": [{"model": "k-degree", "k": 3}], "method": {"name": "k-degree", "k": 3}},
        {"knowledge": "degree", "method": {"name": "none"}},
    ]
    return [json.dumps(basis | plan).encode() for plan in plans]


def _query_plans() -> list[bytes]:
    plan = {
        "plan": 1,
        "privacy": {"neighbours": "add_remove", "delta": 1e-6},
        "domains": {
            "age": {"low": 0, "high": 100},
            "ward": {"values": ["A", "B", None]},
            "day": {"first": "2020-11-15", "last": "2022-02-03"},
        },
        "queries": [
            {"query": "count", "epsilon": 1},
            {"query": "mean", "column": "age", "epsilon": 0.5},
            {"query": "histogram", "column": "age", "buckets": 4, "epsilon": 0.1},
            {"query": "count-by-period", "column": "day", "epsilon": 1},
        ],
    }
    return [json.dumps(plan).encode()]


def _with_numbers_changed(
    load: Callable[[Path], object], parse: Callable[[dict[str, Any]], object]
) -> Callable[[bytes, random.Random], None]:
    """Read a damaged file as it is, and where it is still JSON also with other values in it."""

    def read(content: bytes, chance: random.Random) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "plan.json"
            path.write_bytes(content)
            load(path)

    def read_both(content: bytes, chance: random.Random) -> None:
        try:
            document = json.loads(content)
        except (ValueError, RecursionError):
            return read(content, chance)
        _set_anywhere(document, chance)
        parse(document)
        return None

    return read_both


ODD_VALUES = (
    None, True, -1, 0, 2.5, 1e308, -1e308, float("nan"), float("inf"), 10**30, "", "x", "\0",
    "\ud800", [], [[]], {}, {"x": {}}, ["a", "a"], 1 << 70, "9" * 5000, "2024-13-45",
    "9999-12-31", "*",
)  # fmt: skip


def _set_anywhere(document: Any, chance: random.Random) -> None:
    """Put odd values into one to three places of a document."""
    for _ in range(chance.randint(0, 3)):
        here = document
        while isinstance(here, dict | list) and here:
            keys = list(here) if isinstance(here, dict) else list(range(len(here)))
            key = chance.choice(keys)
            if chance.random() < 0.3 or not isinstance(here[key], dict | list):
                here[key] = chance.choice(ODD_VALUES)
                break
            here = here[key]


def _links() -> list[bytes]:
    return [
        b"source,target,weight\n1,2,3\n2,3,1\n3,4,1\n4,4,1\n",
        b"# comment\n1 2\n2 3\n3 1\n",
        b"a;b\nb;c\nc;a\n",
        b",a,b,c\na,0,1,0\nb,1,0,1\nc,0,1,0\n",
        b"0,1,0\n1,0,1\n0,1,0\n",
        "a\tb\né\tf\n".encode("cp1252"),
    ]


def _graphml() -> list[bytes]:
    head = '<?xml version="1.0" encoding="UTF-8"?><graphml>'
    key = '<key id="d0" for="node" attr.name="club"><default>x</default></key>'
    nodes = '<node id="1"><data key="d0">red</data></node><node id="2"/><node id="3"/>'
    edges = '<edge source="1" target="2"/><edge source="2" target="3"><data key="e">1</data></edge>'
    plain = f'{head}{key}<graph edgedefault="undirected">{nodes}{edges}</graph></graphml>'
    return [
        plain.encode(),
        plain.replace("UTF-8", "iso-8859-1").replace("<graph ", "<!-- --><graph ").encode(),
    ]


def _open_network(content: bytes, chance: random.Random) -> None:
    form = detect_network(io.BytesIO(content)).format
    nodes = None
    if chance.random() < 0.3:
        nodes = Table(
            (Column.from_cells("id", ["1", "2", "3", "a"]), Column.from_cells("x", "wxyz"))
        )
    network = read_network(io.BytesIO(content), form, directed=chance.random() < 0.5, nodes=nodes)
    assert network.nodes


def _packages() -> list[bytes]:
    return [path.read_bytes() for path in sorted((DATA / "fuzz").glob("package-*.zip"))]


def _keys() -> list[bytes]:
    with zipfile.ZipFile(DATA / "fuzz" / "package-xlsx.zip") as package:
        return [package.read("portal.pub")]


READERS: dict[str, Reader] = {
    "csv": Reader(_texts, _open_file),
    "csv.gz": Reader(lambda: [gzip.compress(one, mtime=0) for one in _texts()], _open_file),
    "xlsx": Reader(_workbooks, _open_apart, is_apart=True),
    "parquet": Reader(_parquet_files, _open_apart, is_apart=True),
    "sav": Reader(_spss, _open_apart, is_apart=True),
    "dta": Reader(_stata, _open_apart, is_apart=True),
    "xpt": Reader(_sas_transport, _open_apart, is_apart=True),
    "sas7bdat": Reader(
        lambda: [(DATA / "sas" / "airline.sas7bdat").read_bytes()], _open_apart, is_apart=True
    ),
    "released-xlsx": Reader(
        _own_workbooks, lambda content, _: read_own_workbook(io.BytesIO(content))
    ),
    "taxonomy-csv": Reader(
        _taxonomy_files, lambda content, _: FileTaxonomy.from_content("x", content)
    ),
    "taxonomy-json": Reader(_taxonomy_trees, lambda content, _: parse_json(content, COLORS)),
    "taxonomy-pasted": Reader(_pasted, _read_pasted),
    "taxonomy-rules": Reader(_rules, _read_rules),
    "plan": Reader(_plans, _with_numbers_changed(load_plan, Plan.from_document)),
    "network-plan": Reader(
        _network_plans, _with_numbers_changed(load_network_plan, NetworkPlan.from_document)
    ),
    "query-plan": Reader(
        _query_plans, _with_numbers_changed(load_query_plan, QueryPlan.from_document)
    ),
    "links": Reader(_links, _open_network),
    "graphml": Reader(_graphml, _open_network),
    "package": Reader(_packages, lambda content, _: verify_package(io.BytesIO(content))),
    "public-key": Reader(_keys, lambda content, _: fingerprint_of(content)),
}
