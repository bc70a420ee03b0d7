"""What stages do, as their tasks read it, and what their folders are called: digests of just that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from unquilt.engines.engine import count_rows_per_group
from unquilt.engines.objects.stages import name_stage, say_fields, say_kernel, say_schema, say_table
from unquilt.engines.objects.tables import PACK
from unquilt.engines.objects.tasks import GROUP, MAP
from unquilt.engines.tasks import STORE, Scale
from unquilt.flow.verbs import MapStage, Rows, Stage
from unquilt.tables.table import Table


class StageNames:
    """The names of the stages of a run."""

    def __init__(self, fingerprint: str, scale: Scale, partitions: int) -> None:
        self._fingerprint, self._scale, self._partitions = fingerprint, scale, partitions
        self._digests: dict[Stage, str] = {}
        self._names: dict[Stage, str] = {}

    def stage(self, stage: Stage) -> str:
        """What the folder of a stage is called. Stages that do the same have folders of their own, as each is read
        once, and removed then."""
        if stage not in self._names:
            digest = self._digest(stage)
            same = sum(name.startswith(digest) for name in self._names.values())
            self._names[stage] = f"{digest}-{same}"
        return self._names[stage]

    def store(self, rows: Rows, schema: pa.Schema) -> str:
        return name_stage(self._fingerprint, _say_store(rows, schema, self._digest))

    def pack(self, stored: str, table: Table) -> str:
        return name_stage(self._fingerprint, say_pack(stored, table))

    def say(self, stage: Stage) -> dict[str, Any]:
        return self._say(stage, self.stage)

    def say_store(self, rows: Rows, schema: pa.Schema) -> dict[str, Any]:
        return _say_store(rows, schema, self.stage)

    def _digest(self, stage: Stage) -> str:
        if stage not in self._digests:
            self._digests[stage] = name_stage(self._fingerprint, self._say(stage, self._digest))
        return self._digests[stage]

    def _say(self, stage: Stage, name: Callable[[Stage], str]) -> dict[str, Any]:
        """With these names of the stages before it."""
        ports = self._scale.ports(stage.kernel, self._partitions)
        said: dict[str, Any] = {"kernel": say_kernel(stage.kernel), "ports": ports}
        if isinstance(stage, MapStage):
            beside = say_table(stage.beside) if stage.beside else None
            return said | {"does": MAP, "table": say_table(stage.table), "beside": beside, "among": stage.among}
        return said | {"does": GROUP, "inputs": _say_inputs(stage.tables, name)}


def say_pack(stored: str, table: Table) -> dict[str, Any]:
    said = {"does": PACK, "stored": stored, "schema": say_schema(table.schema), "on_the_way": table.on_the_way}
    return said | {"rows_per_group": count_rows_per_group(table), "pyarrow": pa.__version__}


def _say_store(rows: Rows, schema: pa.Schema, name: Callable[[Stage], str]) -> dict[str, Any]:
    said = {"does": STORE, "schema": say_schema(schema), "fields": say_fields(rows.fields)}
    return said | {"inputs": _say_inputs([rows], name), "ports": []}


def _say_inputs(tables: Sequence[Rows], name: Callable[[Stage], str]) -> list[tuple[str, int, int]]:
    return [(name(rows.stage), len(rows.stage.kernel.ports), rows.port) for rows in tables]
