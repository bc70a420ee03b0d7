"""The only import of the compiled core: its names, which `_core.pyi` explains. It needs nothing else, nor Arrow."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unquilt._core import *

Sink = Callable[[int, int, bytes], None]
"""Takes (port, partition, block)."""

Counters = Mapping[str, tuple[str, int]]
"""What a kernel counted: how it folds ("sum" or "greatest") and the value."""
