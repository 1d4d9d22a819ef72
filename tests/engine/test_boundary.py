"""The engine stands alone."""

import subprocess
import sys


def test_a_fresh_import_loads_no_web_and_no_queue() -> None:
    code = (
        "import sys, deid_portal.engine, deid_portal.engine.files.csv.reader\n"
        "import deid_portal.engine.files.csv.writer, deid_portal.engine.files.arrow\n"
        "import deid_portal.engine.table.profile, deid_portal.engine.verification.verification\n"
        "rooms = {name.split('.')[0] for name in sys.modules}\n"
        "found = rooms & {'django', 'celery', 'plotly', 'pandas'}\n"
        "sys.exit(', '.join(sorted(found)) or 0)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr


def test_reading_and_writing_do_not_pull_in_pandas() -> None:
    code = (
        "import io, sys\n"
        "from deid_portal.engine.files.csv.reader import CsvFormat, read_csv\n"
        "from deid_portal.engine.files.arrow import read_arrow, write_arrow\n"
        "from deid_portal.engine.files.csv.writer import write_csv\n"
        "table = read_csv(io.BytesIO(b'a,b\\n1,2\\n'), CsvFormat())\n"
        "write_csv(table, io.BytesIO())\n"
        "stored = io.BytesIO()\n"
        "write_arrow(table, stored)\n"
        "read_arrow(io.BytesIO(stored.getvalue()))\n"
        "sys.exit('pandas' in sys.modules)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
