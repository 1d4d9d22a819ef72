"""How numbers and small phrases are written, the same in charts, pages and packages."""
