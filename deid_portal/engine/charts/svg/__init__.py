"""A figure as SVG without a browser: attributes only, no style and no script.

So any content security policy and any PDF reader accepts it. It supports what our charts use
(bars, lines and markers on category, linear or logarithmic axes), not all of Plotly.
"""

from deid_portal.engine.charts.svg.picture import write_svg

__all__ = ["write_svg"]
