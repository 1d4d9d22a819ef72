"""Scripts, styles and pictures, compressed when the portal starts on new ones."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from whitenoise.compress import Compressor, brotli
from whitenoise.storage import CompressedManifestStaticFilesStorage

# Somebody waits for the first start. The best quality (11) would make the files a tenth smaller in
# fifty times the time, seven seconds of it.
BROTLI_QUALITY = 6

SHARED_STYLES = "css/every_page.css"
IMPORT = re.compile(r'@import "([^"]+)";')


class QuickCompressor(Compressor):  # type: ignore[misc]
    @staticmethod
    def compress_brotli(data: bytes) -> bytes:
        compressed: bytes = brotli.compress(data, quality=BROTLI_QUALITY)
        return compressed


class StaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    def create_compressor(self, **options: Any) -> QuickCompressor:
        return QuickCompressor(**options)

    def post_process(self, paths: dict[str, Any], **options: Any) -> Iterator[Any]:
        """Join what every page imports first, so that a browser asks for one file."""
        if SHARED_STYLES in paths:
            join_imports(Path(self.path(SHARED_STYLES)))
            paths = {**paths, SHARED_STYLES: (self, SHARED_STYLES)}  # read where it was joined
        yield from super().post_process(paths, **options)


def join_imports(stylesheet: Path) -> None:
    """Put in the place of every import what is imported; all of it lies in one folder."""

    def imported(match: re.Match[str]) -> str:
        return stylesheet.with_name(match[1]).read_text()

    stylesheet.write_text(IMPORT.sub(imported, stylesheet.read_text()))
