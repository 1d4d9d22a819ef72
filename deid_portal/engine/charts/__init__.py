"""Charts as figures of Plotly, the same in pages, certificates, the command line and notebooks.

`look` is what they look like, `drawing` the few kinds of drawings, `chart` what stands around one.
"""
