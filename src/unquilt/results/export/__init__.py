"""Exports: files that other tools read, made of the tables of a run.

work      which rows, in which format, to which place
formats   JSON lines, CSV, plain lines and Parquet
places    one file, a folder of parts, or standard output
"""

from __future__ import annotations

from unquilt.results.export.work import Export, Exported, export

__all__ = ["Export", "Exported", "export"]
