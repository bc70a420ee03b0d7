"""Arrow without pandas, in processes that have no use for it.

pyarrow imports pandas, where it is installed, as soon as it is given a list, since the list could be something of
pandas. That takes a quarter of a second in every command and every worker: more than all else that a small run does.
"""

from __future__ import annotations

import sys


class _NoPandas:
    """To import pandas fails, as it does where it is not installed."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("unquilt starts pyarrow without pandas", name=name)
        return


def start_without_pandas() -> None:
    """Have pyarrow find no pandas when it looks for it, which it does once. What needs pandas, such as `to_pandas`,
    still imports it."""
    if "pandas" in sys.modules:
        return
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        import pyarrow as pa

        pa.array([])
    finally:
        sys.meta_path.remove(finder)
