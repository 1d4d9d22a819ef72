"""Files of every kind through the page: what was found is shown, corrected, and kept."""

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import table_of
from deid_portal.vault import vault
from tests import factories
from tests.conftest import Cast
from tests.engine.files import files
from tests.engine.files.test_read_workbook import ugly_book

SignIn = Callable[[User], Client]
NEW = "/datasets/upload/"
NAMES = ("person", "zip", "age")
ROWS = [("Ann", "01234", 39), ("Bob", "02139", 50), (None, "02139", 38)]
CODES = {"age": {39: "forty or less", 38: "forty or less", 50: "more"}}
CSV = {"delimiter": ",", "quote": '"', "encoding": "utf-8", "has_header": "yes", "decimal": "."}


def _upload(client: Client, content: bytes, name: str) -> Dataset:
    answer = client.post(NEW, {"file": SimpleUploadedFile(name, content)})
    assert answer.status_code == 302, answer.content.decode()
    return Dataset.objects.get()


def _set(client: Client, dataset: Dataset, **settings: str):  # type: ignore[no-untyped-def]
    address = reverse("datasets:set-format", args=[dataset.id])
    answer = client.post(address, settings, headers={"HX-Request": "true"})
    dataset.refresh_from_db()
    return answer


@pytest.mark.parametrize(
    ("content", "name", "kind"),
    [
        (files.xlsx(NAMES, ROWS), "table.xlsx", "Excel workbook"),
        (files.parquet(NAMES, ROWS), "table.parquet", "Parquet file"),
        (files.sav(NAMES, ROWS), "table.sav", "SPSS file"),
        (files.dta(NAMES, ROWS), "table.dta", "Stata file"),
        (files.xpt(NAMES, ROWS), "table.xpt", "SAS transport file"),
        (files.gzipped(b"person,zip,age\nAnn,01234,39\n"), "t.csv.gz", "packed with gzip"),
    ],
    ids=["xlsx", "parquet", "sav", "dta", "xpt", "gzip"],
)
def test_every_kind_is_shown_and_kept(
    content: bytes, name: str, kind: str, cast: Cast, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    dataset = _upload(client, content, name)
    page = client.get(reverse("datasets:preview", args=[dataset.id]))
    text = page.content.decode()
    assert kind in text
    assert "Ann" in text
    assert "The name ends in" not in text
    assert page.context["table"].questions[0].name == "zip"
    factories.read_upload(dataset, cast.steward)
    assert dataset.columns.get(name="zip").type == "text"
    assert table_of(dataset).head(1) == [["Ann", "01234", "39"]]
    kept = client.get(reverse("datasets:preview", args=[dataset.id])).content.decode()
    assert kind in kept


def test_the_content_counts_and_not_the_name(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    dataset = _upload(client, files.xlsx(NAMES, ROWS), "table.csv")
    page = client.get(reverse("datasets:preview", args=[dataset.id])).content.decode()
    assert "The name ends in .csv, but this is an Excel workbook, and is read as one." in page


def test_another_sheet_is_looked_at_afresh(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    dataset = _upload(client, files.saved(ugly_book()), "ugly.xlsx")
    assert dataset.file_format["sheet"] == "Patients 2026"
    page = client.get(reverse("datasets:preview", args=[dataset.id]))
    assert "The 3 rows above the table are left out." in page.content.decode()
    chosen = {"first_row": "4", "has_header": "yes", "missing": "#N/A"}
    answer = _set(client, dataset, sheet="Read me", **chosen)
    assert dataset.file_format["sheet"] == "Read me"
    assert dataset.file_format["first_row"] == 1
    assert "no rows below" in answer.context["problem"]
    answer = _set(client, dataset, sheet="secret", first_row="1", has_header="yes", missing="")
    assert "sheet is empty" in answer.context["problem"]
    _set(client, dataset, sheet="Patients 2026", first_row="1", has_header="yes", missing="")
    assert dataset.file_format["first_row"] == 4


def test_a_sheet_that_is_not_there_is_refused(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    dataset = _upload(client, files.saved(ugly_book()), "ugly.xlsx")
    answer = _set(client, dataset, sheet="none", first_row="4", has_header="yes")
    assert answer.status_code == 422
    assert dataset.file_format["sheet"] == "Patients 2026"


def test_codes_are_kept_when_the_steward_wants(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    dataset = _upload(client, files.sav(NAMES, ROWS, variable_value_labels=CODES), "t.sav")
    page = client.get(reverse("datasets:preview", args=[dataset.id])).content.decode()
    assert "1 column has labels" in page
    assert "forty or less (39)" in page
    answer = _set(client, dataset, labels="no", encoding="")
    assert "forty or less" not in answer.content.decode()
    assert Event.objects.filter(action="dataset.format_changed").exists()


def test_zeros_in_front_go_only_when_the_steward_says_so(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    dataset = _upload(client, b"person,no\nAnn,007\nBob,012\n", "t.csv")
    page = client.get(reverse("datasets:preview", args=[dataset.id])).content.decode()
    assert "We keep it as text so that the zeros" in page
    answer = _set(client, dataset, **CSV, answer="1:integer")
    assert dataset.file_format["types"] == {"1": "integer"}
    assert not answer.context["table"].questions
    factories.read_upload(dataset, cast.steward)
    assert dataset.columns.get(name="no").type == "integer"
    assert table_of(dataset).head(2) == [["Ann", "7"], ["Bob", "12"]]


def test_a_type_is_chosen_in_the_head_and_taken_back(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    dataset = _upload(client, b"day,no\n03/04/2020,7\n05/06/2020,8\n", "t.csv")
    answer = _set(client, dataset, **CSV, **{"type-0": "date-month-first", "type-1": "text"})
    assert dataset.file_format["types"] == {"0": "date-month-first", "1": "text"}
    assert answer.context["table"].rows[0] == ["2020-03-04", "7"]
    _set(client, dataset, **CSV, **{"type-0": "", "type-1": "text"})
    assert dataset.file_format["types"] == {"1": "text"}
    _set(client, dataset, **{**CSV, "delimiter": ";"}, **{"type-1": "text"})
    assert "types" not in dataset.file_format


def test_an_open_quote_is_noticed_before_keeping_and_can_be_read_around(
    cast: Cast, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    dataset = _upload(client, b'size,n\n5",1\n"6 inch,2\n', "t.csv")
    page = client.get(reverse("datasets:preview", args=[dataset.id]))
    assert "Row 3 opens a quote that is never closed" in page.context["problem"]
    answer = _set(client, dataset, **{**CSV, "quote": "\x1f"})
    assert answer.context["problem"] == ""
    assert answer.context["table"].rows == [['5"', "1"], ['"6 inch', "2"]]


@pytest.mark.parametrize("sign", ["\\", "-", "`", ">", "."])
def test_any_sign_of_the_keyboard_can_be_the_separator(
    sign: str, cast: Cast, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    dataset = _upload(client, f"name{sign}age\nAnn{sign}39\nBob{sign}50\n".encode(), "t.csv")
    answer = _set(client, dataset, **{**CSV, "delimiter": "other"}, other_delimiter=sign)
    assert dataset.file_format["delimiter"] == sign
    assert answer.context["table"].rows == [["Ann", "39"], ["Bob", "50"]]
    chosen = dict(answer.context["form"]["delimiter"].field.choices)
    assert chosen[sign] == sign


@pytest.mark.parametrize("sign", ["", "a", "7", '"', "ab", "\u00a6", "\x02"])
def test_what_cannot_separate_columns_gets_its_sentence(
    sign: str, cast: Cast, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    dataset = _upload(client, b"name,age\nAnn,39\n", "t.csv")
    address = reverse("datasets:set-format", args=[dataset.id])
    answer = client.post(address, {**CSV, "delimiter": "other", "other_delimiter": sign})
    assert answer.status_code == 422
    assert "Type the one sign that stands between the columns" in answer.content.decode()
    dataset.refresh_from_db()
    assert dataset.file_format["delimiter"] == ","


# Pasting


def test_a_pasted_table_is_taken_like_a_file(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    pasted = "person\tzip\r\nAnn\t01234\r\nBob\t02139\r\n"
    answer = client.post(NEW, {"pasted": pasted, "name": "Pasted"})
    dataset = Dataset.objects.get()
    assert answer["Location"] == reverse("datasets:preview", args=[dataset.id])
    assert dataset.file_format["delimiter"] == "\t"
    assert dataset.name == "Pasted"
    factories.read_upload(dataset, cast.steward)
    assert table_of(dataset).head(2) == [["Ann", "01234"], ["Bob", "02139"]]
    assert b"Ann" not in vault.path_of(dataset.upload_file).read_bytes()


def test_a_refused_paste_stays_in_the_box_and_nowhere_else(cast: Cast, signed_in: SignIn) -> None:
    answer = signed_in(cast.steward).post(NEW, {"pasted": "%PDF-1.7 not a table"})
    assert answer.status_code == 422
    assert "%PDF-1.7" in answer.content.decode()
    assert not list(vault.path_of("incoming").glob("*"))


def test_a_reviewer_cannot_paste(cast: Cast, signed_in: SignIn) -> None:
    answer = signed_in(cast.reviewer).post(NEW, {"pasted": "a\tb\n1\t2\n"})
    assert answer.status_code == 403
    assert not Dataset.objects.exists()


def test_a_paste_beyond_all_measure_is_refused(
    cast: Cast, signed_in: SignIn, settings: Settings
) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    client = signed_in(cast.steward)
    client.raise_request_exception = False
    assert client.post(NEW, {"pasted": "a\tb\n" + "1\t2\n" * 999}).status_code in (400, 413)
    assert not Dataset.objects.exists()
