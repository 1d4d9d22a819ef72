"""Starting the engine quickly in a process that does one thing and ends.

Before its first kernel numba imports scipy.linalg, in case a kernel multiplies matrices. None of
ours does, and the import takes longer than most of the work people wait for at a terminal.
"""

import sys

LINEAR_ALGEBRA = "scipy.linalg"


def start_without_linear_algebra() -> None:
    """Let numba find no scipy.linalg while it prepares; everybody else finds it afterwards.

    Other threads must not import it meanwhile, so this is for the beginning of a program.
    """
    if LINEAR_ALGEBRA in sys.modules:
        return
    sys.modules[LINEAR_ALGEBRA] = None  # type: ignore[assignment]
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        del sys.modules[LINEAR_ALGEBRA]
