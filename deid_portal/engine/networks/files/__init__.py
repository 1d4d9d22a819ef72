"""Files of a network: its links and its node table, read and written, also as GraphML."""
