"""Starting the engine quickly in a process that does one thing and ends.

Before its first kernel numba imports scipy.linalg, in case a kernel multiplies matrices, and cffi,
in case one calls C. None of ours does, and the imports take longer than most of the work people
wait for at a terminal.
"""

import sys

UNUSED = ("scipy.linalg", "cffi")


def start_lightly() -> None:
    """Hide these modules while numba is initialized; afterwards they can be imported as usual.

    No other thread may import them meanwhile, so this belongs at the start of a program.
    """
    hidden = [name for name in UNUSED if name not in sys.modules]
    for name in hidden:
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        import numba.core.typing.cffi_utils
        import numba.np.arraymath  # noqa: F401
    finally:
        for name in hidden:
            del sys.modules[name]
