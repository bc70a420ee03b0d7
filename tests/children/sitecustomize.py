"""Imported by every Python that a test starts, as `conftest` puts this folder on the path of its children: nothing is
synced, which takes most of the time of a small run and which only a power cut would show.
"""

import os

os.fsync = lambda _: None  # type: ignore[assignment]
