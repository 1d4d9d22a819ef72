"""The sources of the portal as trees, for the tests that read the code; each is parsed once."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOUSE = ROOT / "deid_portal"


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))
