"""Files of every kind into tables: one module per kind, and one door to all, `table_reader.py`.

The kind of a file is told by its content, not its name. A module imports its library only when a
file of its kind is opened or written.
"""
