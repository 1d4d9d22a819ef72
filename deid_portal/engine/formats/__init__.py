"""Files of every kind into tables: one module per kind, and one door to all of them.

What a file is, its content says, not its name. No module here writes anything, and none brings its
library along until a file of its kind is opened.
"""

from deid_portal.engine.formats.column_types import TypeChoice
from deid_portal.engine.formats.file_format import KIND_WORDS, FileFormat, FileKind
from deid_portal.engine.formats.opening import (
    ColumnPreview,
    FileDetection,
    FilePreview,
    detect_file,
    list_row_problems,
    preview_file,
    read_table,
)
from deid_portal.engine.formats.recognizing import recognize
from deid_portal.engine.row_problems import RowProblem

__all__ = [
    "KIND_WORDS",
    "ColumnPreview",
    "FileDetection",
    "FileFormat",
    "FileKind",
    "FilePreview",
    "RowProblem",
    "TypeChoice",
    "detect_file",
    "list_row_problems",
    "preview_file",
    "read_table",
    "recognize",
]
