"""Columns that inputs give beside the text of a document, and one type for each.

JSON lines and Parquet have any columns, and archives say when and how a page was fetched. All of them are kept beside
the documents without being interpreted, in the same row groups, and documents are exported as they were given. While a
piece is read, each batch of documents has its columns with the types that these have there (`write.given`). Types of
all pieces are widened to one when all are read, before any part of the corpus is written (`make_plan`).

JSON has no types. What does not fit one type, such as numbers and texts, is kept as JSON text, and is JSON again when
it is exported. Columns of other files whose types cannot be widened are refused by name.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from unquilt.corpus.options import Fields, Reading
from unquilt.errors import Advice, InputError
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.table import BESIDE

LOOSE, JSON, LISTED = b"unquilt.loose", b"unquilt.json", b"unquilt.listed"
"""What is noted of a field that was met: its type was guessed from JSON; its values are JSON texts; it is part of
documents, and its values are not kept a second time."""
NAME, COLUMN, SAME = BESIDE, b"unquilt.column", b"unquilt.same"
"""What is noted in a plan: what a column of documents is called in the inputs; the column of documents that a field is
in; the column of documents that says the same where the inputs gave nothing else."""
USUAL_TOO = b"unquilt.usual"
"""What the schema of a piece says if some of its documents were in no table."""
GIVEN = b"unquilt.given"
"""What the schema of documents says of the inputs: their columns, in order, with types."""
MOST_FIELDS, DEEPEST = 256, 16
"""JSON objects with more names than this in all, or that are nested more deeply, stay JSON text."""
CAPTURE = pa.schema(
    [
        ("date", pa.string()),
        ("content_type", pa.string()),
        ("status", pa.int64()),
        ("record_id", pa.string()),
        ("digest", pa.string()),
    ]
)
"""What archives say of a page: when it was fetched, what the server said, and the names that the archive gives it."""

_INTEGERS = {
    **{kind: (True, kind.bit_width) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64())},
    **{kind: (False, kind.bit_width) for kind in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())},
}
_UNITS = ("s", "ms", "us", "ns")


def find_stored_type(kind: pa.DataType) -> pa.DataType | None:
    """The type that a column is stored as: without dictionaries and views; None if Parquet has nothing like it."""
    if isinstance(kind, pa.BaseExtensionType):
        return find_stored_type(kind.storage_type)
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return find_stored_type(kind.value_type)
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_binary_view(kind):
        return pa.large_binary()
    if pa.types.is_union(kind) or kind == pa.month_day_nano_interval():
        return None
    if pa.types.is_struct(kind):
        fields = [(field, find_stored_type(field.type)) for field in kind]
        if not fields or any(inner is None for _, inner in fields):
            return None
        return pa.struct([field.with_type(inner) for field, inner in fields])
    if pa.types.is_map(kind):
        key, item = find_stored_type(kind.key_type), find_stored_type(kind.item_type)
        return None if key is None or item is None else pa.map_(key, item)
    if pa.types.is_fixed_size_list(kind):
        inner = find_stored_type(kind.value_type)
        return None if inner is None else pa.list_(kind.value_field.with_type(inner), kind.list_size)
    if pa.types.is_nested(kind):
        inner = find_stored_type(kind.value_type)
        return None if inner is None else pa.list_(kind.value_field.with_type(inner))
    return kind


def widen(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """The least type that holds the values of both, whole numbers and fractions in a double; None if there is none.

    >>> widen(pa.int32(), pa.int64()), widen(pa.string(), pa.large_string()), widen(pa.string(), pa.int8())
    (DataType(int64), DataType(large_string), None)
    """
    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    if pa.types.is_dictionary(one) or pa.types.is_dictionary(other):  # categories of one file, texts of another
        return widen(*(each.value_type if pa.types.is_dictionary(each) else each for each in (one, other)))
    if one in _INTEGERS and other in _INTEGERS:
        return _widen_integers(one, other)
    if pa.types.is_struct(one) and pa.types.is_struct(other):
        return _widen_structs(one, other)
    for test, wide in (
        (_is_number, pa.float64()),
        (_is_string, pa.large_string()),
        (_is_bytes, pa.large_binary()),
    ):
        if test(one) and test(other):
            return wide
    if pa.types.is_decimal(one) and pa.types.is_decimal(other):
        return _widen_decimals(one, other)
    if pa.types.is_timestamp(one) and pa.types.is_timestamp(other) and one.tz == other.tz:
        return pa.timestamp(max(one.unit, other.unit, key=_UNITS.index), one.tz)
    if _is_list(one) and _is_list(other):
        inner = widen(one.value_type, other.value_type)
        return None if inner is None else pa.list_(inner)
    return None


def _is_number(kind: pa.DataType) -> bool:
    return kind in _INTEGERS or bool(pa.types.is_floating(kind))


def _is_string(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_bytes(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _widen_integers(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    (signed, width), (other_signed, other_width) = _INTEGERS[one], _INTEGERS[other]
    if signed == other_signed:
        return one if width > other_width else other
    wide = max(2 * (other_width if signed else width), width if signed else other_width)
    return next((kind for kind, known in _INTEGERS.items() if known == (True, wide)), None)


def _widen_decimals(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    scale = max(one.scale, other.scale)
    digits = scale + max(one.precision - one.scale, other.precision - other.scale)
    return pa.decimal128(digits, scale) if digits <= 38 else pa.decimal256(digits, scale) if digits <= 76 else None


def _widen_structs(one: pa.StructType, other: pa.StructType) -> pa.DataType | None:
    kinds = {field.name: field.type for field in one}
    for field in other:
        wide = widen(kinds.get(field.name, pa.null()), field.type)
        if wide is None:
            return None
        kinds[field.name] = wide
    return pa.struct(list(kinds.items()))


def guess(values: Sequence[Any]) -> tuple[pa.Array, bool]:
    """Values of JSON as a column, and whether that is JSON text because no type fits all of them.

    >>> guess([1, None, 2.5])[0].to_pylist(), guess([1, "one"])[0].to_pylist()
    ([1.0, None, 2.5], ['1', '"one"'])
    """
    try:
        found = pa.array(values)
        if _is_simple(found.type):
            return found, False
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):
        pass
    return spell(values), True


def _is_simple(kind: pa.DataType, deep: int = DEEPEST) -> bool:
    """Whether JSON of this type is better kept by type than as text."""
    if pa.types.is_struct(kind):
        return bool(deep and kind.num_fields > 0 and _count(kind) <= MOST_FIELDS) and all(
            _is_simple(field.type, deep - 1) for field in kind
        )
    return not _is_list(kind) or bool(deep and _is_simple(kind.value_type, deep - 1))


def _count(kind: pa.StructType) -> int:
    return sum(1 + (_count(field.type) if pa.types.is_struct(field.type) else 0) for field in kind)


def spell(values: Iterable[Any]) -> pa.Array:
    """Values as JSON text; what is missing stays so."""
    return pa.array([None if value is None else _to_json(value) for value in values], pa.large_string())


def _to_json(value: Any) -> str:
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # a whole number of more than 64 bits, or half a character
        return json.dumps(value, separators=(",", ":"))


def fit(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """A column as one of a wider type; ArrowInvalid if a value does not fit, such as a whole number beyond 2^53 in a
    column of fractions."""
    if column.type == kind:
        return column
    if pa.types.is_null(column.type):
        return pa.nulls(len(column), kind)
    if pa.types.is_struct(kind):
        inner = dict(zip((field.name for field in column.type), column.flatten(), strict=True))
        parts = [
            fit(inner[field.name], field.type) if field.name in inner else pa.nulls(len(column), field.type)
            for field in kind
        ]
        return pa.StructArray.from_arrays(parts, fields=list(kind), mask=column.is_null())
    if _is_list(kind) and _has_struct(kind):
        return pa.array(column.to_pylist(), kind)
    return column.cast(kind)


def _has_struct(kind: pa.DataType) -> bool:
    return bool(pa.types.is_struct(kind) or (_is_list(kind) and _has_struct(kind.value_type)))


class GivenColumns:
    """The columns that a piece, or all of them, give: in the order in which they are met, each with its widest type so
    far. `usual` says that some documents were in no table."""

    def __init__(self) -> None:
        self.fields: dict[str, pa.Field] = {}
        self.usual = False
        self._metadata: dict[bytes, bytes] | None = None

    def meet(self, schema: pa.Schema, where: str, reading: Reading) -> None:
        """Add the columns of some documents; types that cannot be widened are refused by name."""
        noted = dict(schema.metadata or {})
        self.usual |= bool(noted.pop(USUAL_TOO, None))
        for field in schema:
            known = self.fields.get(field.name)
            self.fields[field.name] = field if known is None else _join(known, field, where, reading)
        if schema.names:
            metadata = noted if self._metadata is None else self._metadata
            self._metadata = {key: value for key, value in metadata.items() if noted.get(key) == value}

    def to_schema(self) -> pa.Schema:
        """All of it."""
        noted = (self._metadata or {}) | ({USUAL_TOO: b"1"} if self.usual else {})
        return pa.schema(list(self.fields.values()), noted)


def _join(known: pa.Field, field: pa.Field, where: str, reading: Reading) -> pa.Field:
    """What two fields of a name are together."""
    one, other = known.metadata or {}, field.metadata or {}
    both_loose, any_json = LOOSE in one and LOOSE in other, JSON in one or JSON in other
    noted = {LISTED: b"1"} if LISTED in one and LISTED in other else {}
    wide = None if any_json else widen(known.type, field.type)
    if wide is not None and not (both_loose and not _is_simple(wide)):
        noted |= {LOOSE: b"1"} if both_loose else {}
        return pa.field(known.name, wide, known.nullable or field.nullable, noted)
    if both_loose:
        return pa.field(known.name, pa.large_string(), metadata=noted | {LOOSE: b"1", JSON: b"1"})
    if known.name in list_parts(reading.fields):
        return pa.field(known.name, pa.null(), metadata=noted | {JSON: b"1"})
    raise InputError(
        f"{where}: column {known.name!a} is {_tell(field)}, and in files before it {_tell(known)}; make them alike",
        advice=Advice("or say which columns to keep: carry='A,B'", "or say which columns to keep: --carry A,B"),
    )


def _tell(field: pa.Field) -> str:
    return "of several types" if JSON in (field.metadata or {}) else str(field.type)[:80]


def list_parts(fields: Fields) -> dict[str, str]:
    """The columns of inputs that are parts of documents, and what these call them."""
    return {fields.id: "id", fields.url: "url", fields.ip: "ip", fields.text: "text"}


@dataclass(frozen=True)
class GivenPlan:
    """How the columns of inputs are kept: `extra` are further columns of the table of documents, and `given` says how
    documents are written again, each field with the column that it is in."""

    extra: tuple[pa.Field, ...] = ()
    given: pa.Schema | None = None

    def extend(self, schema: pa.Schema) -> pa.Schema:
        """The schema of documents with all of that."""
        noted = None if self.given is None else {GIVEN: base64.b64encode(self.given.serialize())}
        return pa.schema([*schema, *self.extra], noted)

    @property
    def same(self) -> list[str]:
        """The columns of documents that say the same as some of these."""
        return sorted({field.metadata[SAME].decode() for field in self.extra if SAME in field.metadata})

    def place(self, chunk: pa.RecordBatch | None, documents: pa.RecordBatch) -> list[pa.Array]:
        """The further columns of some documents."""
        return [_place(field, chunk, documents) for field in self.extra]


def _place(field: pa.Field, chunk: pa.RecordBatch | None, documents: pa.RecordBatch) -> pa.Array:
    name, like = field.metadata[NAME].decode(), field.metadata.get(SAME, b"").decode()
    at = -1 if chunk is None else chunk.schema.get_field_index(name)
    is_json = False
    if chunk is not None and at >= 0:
        column, is_json = chunk.column(at), JSON in (chunk.schema.field(at).metadata or {})
    else:
        column = documents.column(like) if like else pa.nulls(documents.num_rows)
    if JSON in field.metadata and not is_json:
        return spell(column.to_pylist())
    try:
        return fit(column.storage if isinstance(column, pa.ExtensionArray) else column, field.type)
    except (pa.ArrowException, OverflowError) as error:
        raise InputError(
            f"column {name!a}: not all of its values fit {field.type}, the type that holds those of all files",
            advice=Advice("say which columns to keep: carry='A,B'", "say which columns to keep: --carry A,B"),
        ) from error


def make_plan(pieces: Iterable[tuple[str, pa.Schema]], reading: Reading) -> GivenPlan:
    """The plan for pieces with these names and columns; InputError names a column whose types cannot be widened."""
    columns = GivenColumns()
    for name, schema in pieces:
        columns.meet(schema, name, reading)
    if not columns.fields:
        return GivenPlan()
    parts, taken = list_parts(reading.fields), {name.lower() for name in DOCUMENTS.schema.names}
    extra: list[pa.Field] = []
    given: list[pa.Field] = []
    if columns.usual:  # ids of tables and of other files are all written as texts
        given += [_find_part(columns.fields.pop(name, None), name, stored) for name, stored in parts.items()]
    for field in columns.fields.values():
        noted, stored = field.metadata or {}, parts.get(field.name)
        if stored is not None and (LISTED in noted or (JSON in noted and LOOSE not in noted)):
            given.append(_find_part(field, field.name, stored))
            continue
        kind = find_stored_type(field.type)
        if kind is None and LOOSE not in noted:
            raise InputError(
                f"column {field.name!a} is {field.type}, which Parquet has no type for",
                advice=Advice("say which columns to keep: carry='A,B'", "say which columns to keep: --carry A,B"),
            )
        is_json = kind is None or JSON in noted
        marks = {JSON: b"1"} if is_json else {}
        guessed = {LOOSE: b"1"} if LOOSE in noted else {}
        kind, name = pa.large_string() if is_json else kind, _name(field.name, taken)
        like = {SAME: stored.encode()} if stored else {}
        extra.append(pa.field(name, kind, metadata=marks | like | {NAME: field.name.encode()}))
        shown = kind if is_json else field.type
        given.append(pa.field(field.name, shown, field.nullable, marks | guessed | {COLUMN: name.encode()}))
    return GivenPlan(tuple(extra), pa.schema(given, columns.to_schema().metadata))


def _find_part(field: pa.Field | None, name: str, stored: str) -> pa.Field:
    """A part of documents as it is written again: as text."""
    kind = pa.string() if field is None or not _is_text(field.type) else field.type
    nullable = field is None or field.nullable
    guessed = {LOOSE: b"1"} if field is not None and LOOSE in (field.metadata or {}) else {}
    return pa.field(name, kind, nullable, guessed | {COLUMN: stored.encode()})


def _is_text(kind: pa.DataType) -> bool:
    inner = find_stored_type(kind) or kind
    return _is_string(inner) or _is_bytes(inner)


def _name(name: str, taken: set[str]) -> str:
    """What a column is called beside those of documents. Names are told apart without regard to case, as conditions
    read them so."""
    plain = name.replace(".", "_").replace('"', "_") or "column"
    found, number = plain, 1
    while found.lower() in taken:
        found = f"{plain}_given" if number == 1 else f"{plain}_given_{number}"
        number += 1
    taken.add(found.lower())
    return found


def find_column(schema: pa.Schema, called: str) -> str | None:
    """The column of documents that holds what the inputs call so, if there is one."""
    return next((field.metadata[COLUMN].decode() for field in read_given(schema) or () if field.name == called), None)


def read_given(schema: pa.Schema | None) -> pa.Schema | None:
    """How documents are written again; None if there is nothing but what is usual."""
    noted = None if schema is None else (schema.metadata or {}).get(GIVEN)
    return None if noted is None else pa.ipc.read_schema(pa.py_buffer(base64.b64decode(noted)))


def read_met(schema: pa.Schema) -> pa.Schema:
    """What the inputs of a corpus gave, of which `schema` has the columns: as `GivenColumns` meets it in a piece."""
    given = read_given(schema)
    if given is None:
        return pa.schema([], {USUAL_TOO: b"1"})
    own = {name.encode() for name in DOCUMENTS.schema.names}
    fields = []
    for field in given:
        marks = {key: field.metadata[key] for key in (LOOSE, JSON) if key in field.metadata}
        fields.append(field.with_metadata(marks | ({LISTED: b"1"} if field.metadata[COLUMN] in own else {}) or None))
    return pa.schema(fields, given.metadata)


def rename_parts(met: pa.Schema, own: Fields, wanted: Fields, where: str) -> pa.Schema:
    """The same, with the names that parts of documents have elsewhere; a name of another column is refused."""
    renamed = _pair_names(own, wanted)
    fields = []
    for field in met:
        if field.name in renamed.values() and field.name not in renamed:
            raise InputError(
                f"{where}: column {field.name!a} is not part of its documents, but elsewhere it is; give the column "
                "another name in the inputs"
            )
        fields.append(field.with_name(renamed.get(field.name, field.name)))
    return pa.schema(fields, met.metadata)


def restore_chunk(rows: pa.Table, own: Fields, wanted: Fields) -> pa.RecordBatch | None:
    """The columns that some rows of a corpus were given with, under the names of `rename_parts`."""
    given, documents = read_given(rows.schema), DOCUMENTS.schema.names
    renamed = _pair_names(own, wanted)
    pairs = []
    for field in given or ():
        column = field.metadata[COLUMN].decode()
        if column not in documents:
            marks = {JSON: b"1"} if JSON in field.metadata else None
            values = rows.column(column).combine_chunks()
            named = pa.field(renamed.get(field.name, field.name), values.type, metadata=marks)
            pairs.append((named, values))
    if not pairs:
        return None
    return pa.RecordBatch.from_arrays([values for _, values in pairs], schema=pa.schema([named for named, _ in pairs]))


def _pair_names(own: Fields, wanted: Fields) -> dict[str, str]:
    """What parts are called in some inputs, and what in others, where that differs."""
    names = {part: name for name, part in list_parts(wanted).items()}
    return {name: names[part] for name, part in list_parts(own).items() if name != names[part]}


def says_same(column: pa.Array, stored: pa.Array) -> bool:
    """Whether a column says the same as one of documents does."""
    if not (_is_string(column.type) or pa.types.is_null(column.type)):
        return False
    equal = pc.fill_null(pc.equal(column.cast(pa.string()), stored), fill_value=False)
    return bool(pc.all(pc.or_(equal, pc.and_(column.is_null(), stored.is_null())), min_count=0).as_py())
