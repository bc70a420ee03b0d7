"""Where unquilt runs: on Linux and macOS, as it forks the processes that read input.

Many modules import what other systems lack (fcntl, resource), so this is asked before they are imported.
"""

from __future__ import annotations

import os

from unquilt.errors import UnsupportedSystemError


def check_system() -> None:
    """Complain where processes cannot be forked: on Windows, and on Python in a browser."""
    if not hasattr(os, "fork"):
        raise UnsupportedSystemError("unquilt needs Linux or macOS, as it forks processes; on Windows, run it in WSL")
