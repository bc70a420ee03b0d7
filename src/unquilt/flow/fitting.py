"""Whether a plan fits together: columns and kernels, rows and the kernel they meet in, rows and the table they become.

All of it is checked when a plan is noted, by schemas and contracts alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from unquilt.errors import PlanError
from unquilt.flow.kernels import Field, Fields, Kernel, Port, Shape
from unquilt.tables.corpus import CHUNK
from unquilt.tables.table import Table

NUMBER, REAL, TEXT, LINES, BYTES, NULLABLE = "number", "real", "text", "lines", "bytes", "bytes or null"
_COLUMN_KINDS = {NUMBER: (NUMBER,), TEXT: (TEXT,), LINES: (LINES, TEXT), NULLABLE: (TEXT, BYTES)}
"""For each kind of column that a kernel says it reads, the kinds that it may be given."""
_WIDE = (CHUNK, pa.int32())
_INTEGERS = (NUMBER, "doc", "small")
_OR_NULL = {f"{NUMBER} or null": NUMBER, f"{REAL} or null": REAL}


def kind_of(column: pa.Field) -> str:
    """What a column is to a kernel."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return NUMBER
    if pa.types.is_floating(kind):
        return REAL
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return TEXT
    if pa.types.is_list(kind) and pa.types.is_string(kind.value_type):
        return LINES
    if pa.types.is_list(kind) and (pa.types.is_fixed_size_binary(kind.value_type) or kind.value_type in _WIDE):
        return BYTES  # those of its values, one after the other
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return BYTES
    return str(kind)


def check_columns(kernel: Kernel, there: pa.Schema | None, name: str) -> None:
    """Raise PlanError unless the table `name` has the columns that a kernel reads.

    If `there` is None, the table has no file and its columns are not known: nothing is checked.
    """
    if not kernel.contract.maps:
        raise PlanError(f"kernel {kernel.name} reads rows that meet, not columns: use group")
    if there is None:
        return
    if kernel.contract.reads.which == "any":
        for column in kernel.columns:
            found = _find(there, column, kernel, name)
            if kind_of(found) not in (NUMBER, TEXT, BYTES):
                raise PlanError(f"kernel {kernel.name} cannot read column {column} of {name}, which is {found.type}")
        if kind_of(there.field(kernel.columns[0])) != NUMBER:
            raise PlanError(
                f"kernel {kernel.name}: column {kernel.columns[0]} of {name} does not hold numbers of documents"
            )
    else:
        read = [each for each in kernel.contract.reads.fields if each.name in kernel.columns]
        _check_fields(kernel, read, there, name)


def check_beside(kernel: Kernel, there: pa.Schema | None, name: str | None) -> None:
    """The same for the table beside it; `name` is None if there is no such table."""
    beside = kernel.contract.beside
    if name is None:
        if beside.which == "fields":
            raise PlanError(f"kernel {kernel.name} needs a table beside the one that it reads")
        return
    if beside.which == "nothing":
        raise PlanError(f"kernel {kernel.name} reads nothing beside its table, and {name} was given")
    if there is None:
        return
    if there.names[:1] != [beside.fields[0].name]:
        raise PlanError(
            f"kernel {kernel.name}: {name} is in the order of {there.names[0]}, not {beside.fields[0].name}"
        )
    _check_fields(kernel, beside.fields, there, name)


def _find(there: pa.Schema, column: str, kernel: Kernel, name: str) -> pa.Field:
    if column not in there.names:
        raise PlanError(f"kernel {kernel.name} reads column {column}, which {name} does not have")
    return there.field(column)


def _check_fields(kernel: Kernel, wanted: Sequence[Field], there: pa.Schema, name: str) -> None:
    for each in wanted:
        found = _find(there, each.name, kernel, name)
        if kind_of(found) not in _COLUMN_KINDS[each.kind]:
            raise PlanError(f"kernel {kernel.name}: column {each.name} of {name} is {found.type}, not {each.kind}")


def check_meeting(kernel: Kernel, tables: Sequence[tuple[Port, Fields]]) -> None:
    """Raise PlanError unless rows that leave these ports, with these fields, can meet in a kernel."""
    contract = kernel.contract
    if contract.maps:
        raise PlanError(f"kernel {kernel.name} reads the columns of a table, not rows: use map")
    keys = sorted({port.key for port, _ in tables})
    if len(keys) != 1:
        raise PlanError(f"rows keyed by {' and '.join(keys)} cannot meet in {kernel.name}")
    if keys != [contract.key]:
        raise PlanError(f"kernel {kernel.name} reads rows keyed by {contract.key}, not by {keys[0]}")
    shapes = contract.tables
    if contract.repeated and len(tables) > len(shapes):
        shapes = shapes + shapes[-1:] * (len(tables) - len(shapes))
    if len(shapes) != len(tables):
        raise PlanError(f"kernel {kernel.name} reads {len(shapes)} tables of rows, not {len(tables)}")
    for number, (shape, (port, fields)) in enumerate(zip(shapes, tables, strict=True), 1):
        if not _fits(shape, fields):
            wanted = ", ".join(map(str, shape.fields)) or "no fields"
            found = ", ".join(map(str, fields)) or "no fields"
            ending = "rows that end in " if shape.which == "ending" else ""
            raise PlanError(
                f"kernel {kernel.name} wants {ending}{wanted} as table {number}, and {port.name} have {found}"
            )


def _fits(shape: Shape, fields: Fields) -> bool:
    if shape.which == "any":
        return True
    last = fields[len(fields) - len(shape.fields) :] if shape.which == "ending" else fields
    return len(last) == len(shape.fields) and all(map(_is_same, last, shape.fields))


def _is_same(there: Field, wanted: Field) -> bool:
    return there == wanted or (there.name == wanted.name and (there.kind, wanted.kind) == (BYTES, NULLABLE))


def leaving(kernel: Kernel, incoming: Sequence[Fields], there: pa.Schema | None = None) -> list[Fields]:
    """The fields of the rows that leave each port of a kernel that reads these rows, or a table of this schema."""
    return [_resolve(port.shape, kernel, incoming, there) for port in kernel.ports]


def _resolve(shape: Shape, kernel: Kernel, incoming: Sequence[Fields], there: pa.Schema | None) -> Fields:
    if shape.which == "tables":
        return tuple(field for table in shape.tables for field in incoming[table])
    if shape.which == "selected":
        return tuple(_selected(name, there) for name in kernel.columns[1:])
    return shape.fields


def _selected(name: str, there: pa.Schema | None) -> Field:
    if there is None:  # a table without a file has no rows, either
        return Field(name, NULLABLE)
    column = there.field(name)
    return Field(name, NUMBER if kind_of(column) == NUMBER else NULLABLE if column.nullable else BYTES)


def check_table(fields: Fields, table: Table, kernel: Kernel) -> None:
    """Raise PlanError unless rows with these fields, behind their key, are those of a table."""
    columns = table.columns[1:]
    named = [field.name for field in fields]
    if named != [column.name for column in columns]:
        wanted, found = (", ".join(names) or "nothing" for names in ([column.name for column in columns], named))
        raise PlanError(f"table {table.name} has {wanted} behind its key; rows of {kernel.name} have {found}")
    for field, column in zip(fields, columns, strict=True):
        if not _stores(field.kind, column.field):
            nullable = " or null" if column.null else ""
            raise PlanError(
                f"column {column.name} of {table.name} is {column.type}{nullable}; {kernel.name} has {field.kind}"
            )


def _stores(kind: str, column: pa.Field) -> bool:
    there = kind_of(column)
    if kind in _INTEGERS:
        return there == NUMBER
    if kind == REAL:
        return there == REAL
    if kind in _OR_NULL:
        return there == _OR_NULL[kind] and column.nullable
    if kind == NULLABLE:
        return there in (TEXT, BYTES) and column.nullable
    if pa.types.is_fixed_size_binary(column.type):
        return kind in (BYTES, f"{column.type.byte_width} bytes")
    return kind != "rest" and there in (TEXT, BYTES)
