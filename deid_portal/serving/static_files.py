"""Scripts, styles and pictures, compressed when the portal starts on new ones."""

from typing import Any

from whitenoise.compress import Compressor, brotli
from whitenoise.storage import CompressedManifestStaticFilesStorage

# Somebody waits for the first start. The best quality (11) would make the files a tenth smaller in
# fifty times the time, seven seconds of it.
BROTLI_QUALITY = 6


class QuickCompressor(Compressor):  # type: ignore[misc]
    @staticmethod
    def compress_brotli(data: bytes) -> bytes:
        compressed: bytes = brotli.compress(data, quality=BROTLI_QUALITY)
        return compressed


class StaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    def create_compressor(self, **options: Any) -> QuickCompressor:
        return QuickCompressor(**options)
