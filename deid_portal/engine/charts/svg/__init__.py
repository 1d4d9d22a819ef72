"""A figure as SVG without a browser: attributes only, no style and no script.

So it stands in any page and any reader of PDF. It draws what our charts are made of (bars, lines,
marks on axes of names, numbers or powers of ten), not all that Plotly can.
"""

from deid_portal.engine.charts.svg.picture import write_svg

__all__ = ["write_svg"]
