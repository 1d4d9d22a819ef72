"""Charts as Plotly figures, the same in pages, certificates, the command line and notebooks.

`look` is what they look like, `figure_parts` the few kinds of traces, `chart` what stands
around one.
"""
