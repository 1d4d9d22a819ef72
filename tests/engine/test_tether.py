"""Whatever a process forks ends with it, also when it is killed."""

import os
import select
import signal
import subprocess
import sys

import pytest

from tests.patience import PATIENCE

# The child says who it is and then would live on; the pipe it holds open ends with it.
FORKING = """
import os, time
from deid_portal.engine.tether import tie_every_fork
tie_every_fork()
if os.fork() == 0:
    os.write(1, b"here")
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such request")
def test_a_forked_process_ends_with_the_one_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", FORKING], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pipe = parent.stdout.fileno()
        assert os.read(pipe, 4) == b"here"
        os.kill(parent.pid, signal.SIGKILL)
        ready, _, _ = select.select([pipe], [], [], PATIENCE)
        assert ready, "the forked process lives on"
        assert os.read(pipe, 1) == b""
