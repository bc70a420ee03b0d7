"""Exports: files that other tools read, made of the tables of a run."""

from __future__ import annotations

from unquilt.results.export.work import Export, Exported, export

__all__ = ["Export", "Exported", "export"]
