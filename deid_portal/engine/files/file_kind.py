"""What a file is, by its content; a file that is no table gets one sentence."""

import gzip
import zipfile
from typing import BinaryIO

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.files.csv.format import SAMPLE_BYTES, check_is_text_table
from deid_portal.engine.files.file_format import FileKind
from deid_portal.engine.files.library_errors import told_in_a_sentence

SAS_MAGIC = bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
STATA_RELEASES = (104, 105, 108, 110, 111, 112, 113, 114, 115)
BEGINNINGS = (
    (b"\x1f\x8b", FileKind.CSV_GZIP),
    (b"PAR1", FileKind.PARQUET),
    (b"$FL2", FileKind.SPSS),
    (b"$FL3", FileKind.SPSS),
    (b"<stata_dta>", FileKind.STATA),
    (b"HEADER RECORD*******LIB", FileKind.SAS_TRANSPORT),
)
ZIP_BEGINNINGS = (b"PK\x03\x04", b"PK\x05\x06")
OLD_OFFICE = b"\xd0\xcf\x11\xe0"
PROTECTED = "EncryptedPackage".encode("utf-16-le")
BLOCK_BYTES = 1 << 20
MOST_PARTS = 10_000

DAMAGED_ARCHIVE = (
    "The file is damaged or was cut short on its way; save it again and upload it once more."
)
LOCKED = (
    "The workbook is protected with a password. Open it, save a copy without one, and upload that."
)


def recognize(stream: BinaryIO) -> FileKind:
    """Return what kind of file it is; the stream must be seekable and is left at its start."""
    start = stream.read(SAMPLE_BYTES)
    stream.seek(0)
    try:
        kind = _recognize(stream, start)
    finally:
        stream.seek(0)
    return kind


def _recognize(stream: BinaryIO, start: bytes) -> FileKind:
    for beginning, kind in BEGINNINGS:
        if start.startswith(beginning):
            if kind == FileKind.CSV_GZIP:
                _check_holds_text(stream)
            return kind
    if start[12:32] == SAS_MAGIC and not any(start[:12]):
        return FileKind.SAS
    if len(start) > 4 and start[0] in STATA_RELEASES and start[1] in (1, 2) and start[2] == 1:
        return FileKind.STATA
    if start.startswith(ZIP_BEGINNINGS):
        return _look_into_archive(stream)
    if start.startswith(OLD_OFFICE):
        raise InvalidTable(_why_not_old_office(stream))
    check_is_text_table(start)
    return FileKind.CSV


def _check_holds_text(stream: BinaryIO) -> None:
    with told_in_a_sentence(DAMAGED_ARCHIVE), gzip.GzipFile(fileobj=stream) as unpacked:
        start = unpacked.read(SAMPLE_BYTES)
    known = (*(b for b, _ in BEGINNINGS), *ZIP_BEGINNINGS, OLD_OFFICE)
    if start.startswith(known):
        raise InvalidTable("The packed file is not a CSV file. Unpack it and upload what is in it.")
    check_is_text_table(start)


def _look_into_archive(stream: BinaryIO) -> FileKind:
    with told_in_a_sentence(DAMAGED_ARCHIVE), zipfile.ZipFile(stream) as archive:
        parts = archive.infolist()
    names = {part.filename for part in parts[:MOST_PARTS]}
    if "xl/workbook.xml" in names:
        if any(part.flag_bits & 1 for part in parts):
            raise InvalidTable(LOCKED)
        return FileKind.EXCEL
    if "xl/workbook.bin" in names:
        raise InvalidTable("This is a binary Excel workbook. Save it as .xlsx and upload that.")
    if "content.xml" in names:
        raise InvalidTable("This is an OpenDocument file. Save the sheet as .xlsx or CSV.")
    raise InvalidTable("This is a ZIP archive. Unpack it and upload the table that is in it.")


def _why_not_old_office(stream: BinaryIO) -> str:
    """Say why a file in Excel's old container is refused: it is protected, or an .xls file."""
    before = b""
    while block := stream.read(BLOCK_BYTES):
        if PROTECTED in before + block:
            return LOCKED
        before = block[-len(PROTECTED) :]
    return "This is an Excel workbook of the old kind (.xls). Save it as .xlsx and upload that."
