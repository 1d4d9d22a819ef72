"""Files of every kind into tables: one module per kind, and one door to all, `table_reader.py`.

What a file is, its content says, not its name. No module here brings its library along until a file
of its kind is opened or written.
"""
