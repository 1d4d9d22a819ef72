"""Charts as Plotly figures, the same in pages, certificates, the command line and notebooks.

`look` holds the Plotly template, `drawing` builds figures, `chart` adds title, caption and table.
"""
