"""DuckDB over the tables of runs: reads the folders that are shown, and nothing else, in little memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from unquilt.errors import ParameterError, RunError

MEMORY = "160MB"
BATCH = 2_048


class Database:
    """A connection that all requests share, each with a cursor of its own."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._spill = tempfile.TemporaryDirectory(prefix="unquilt-page-")
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": MEMORY,
            "threads": "2",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
            "preserve_insertion_order": "true",
            "temp_directory": self._spill.name,
        }
        self._connection = duckdb.connect(":memory:", config=config)
        places = [str(folder) for folder in folders]
        places += [str(Path(place).resolve()) for place in places]
        self._connection.execute("SET allowed_directories = ?", [places])
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    def rows(self, query: str) -> list[dict[str, Any]]:
        """All rows of a query, which must have a limit."""
        with _asking(self._connection) as cursor:
            found: list[dict[str, Any]] = cursor.sql(query).to_arrow_table().to_pylist()
            return found

    def value(self, query: str) -> Any:
        """The one value of a query."""
        with _asking(self._connection) as cursor:
            found = cursor.execute(query).fetchone()
            return found[0] if found else None

    def batches(self, query: str) -> Iterator[pa.RecordBatch]:
        """The rows of a query, however many, some at a time."""
        with _asking(self._connection) as cursor:
            yield from cursor.sql(query).to_arrow_reader(BATCH)

    def close(self) -> None:
        self._connection.close()
        self._spill.cleanup()


@contextmanager
def _asking(connection: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    cursor = connection.cursor()
    try:
        yield cursor
    except (duckdb.IOException, duckdb.HTTPException, duckdb.PermissionException) as error:
        raise RunError(f"a table cannot be read; has the run gone, or been replaced? {_first_line(error)}") from error
    except duckdb.Error as error:
        raise ParameterError(f"this cannot be answered: {_first_line(error)}") from error
    finally:
        cursor.close()


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:300]
