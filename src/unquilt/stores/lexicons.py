"""Lexicons: the words that I-Match makes signatures of, as a file that is built from one corpus and serves others.

Of a corpus of N documents, a word in df of them has the normalised idf log(N/df)/log(N): 0 for a word of all documents,
1 for a word of one. Words in a range of it, both ends included, are the primary lexicon. Rarer ones, in at least
`min_df` documents, are the secondary lexicon, which fills up short signatures: the commonest first, then by spelling.
Commoner words are of no use.

The file is Parquet: columns word and df, the most frequent first, words of the same df by spelling, so that the primary
lexicon comes first. What else there is to know is in its metadata. The same corpus gives the same file.

Pages carry checksums, and the metadata a digest of all that the lexicon says, words and all, so that a damaged file is
never taken for another lexicon. Neither is a protection against somebody who changes a lexicon on purpose.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from unquilt import _native
from unquilt.columns import buffers
from unquilt.errors import InputError, ParameterError
from unquilt.flow.kept import Kept
from unquilt.remote.fetched import fetch
from unquilt.remote.paths import place
from unquilt.runs import ROWS_PER_GROUP
from unquilt.runs.storage import created, shown

FORMAT = 2
SCHEMA = pa.schema([pa.field("word", pa.string(), nullable=False), pa.field("df", pa.int64(), nullable=False)])
_KEY = b"unquilt.lexicon"
_DIGEST = "sha256"
_ANEW = "build it anew: unquilt lexicon build"
_EXACT = Context(prec=60)
_SAME = Decimal("1e-30")
"""Numbers closer than this are equal: it is far above the rounding error of 60 digits, and far below the distance of a
power N^(1-x) from a whole number that it does not equal."""


def check_nidf(nidf: Sequence[float]) -> tuple[float, float]:
    """The two ends of a range of normalised idf, checked."""
    ends = [float(end) for end in nidf]
    if len(ends) != 2 or not 0 <= ends[0] <= ends[1] <= 1:
        given = ":".join(f"{end:g}" for end in ends)
        raise ParameterError(f"nidf must be two numbers between 0 and 1, the smaller first, not {given or 'none'}")
    return ends[0], ends[1]


def df_range(documents: int, nidf: Sequence[float]) -> tuple[int, int]:
    """The least and greatest df of words whose normalised idf lies in a range, of at least 2 documents.

    log(N/df)/log(N) >= x just if df <= N^(1-x): compared so, and x taken as the decimal number that is written, the
    ends are included as they should be, also where logarithms would be off by a rounding.

    >>> df_range(100_000, (0.2, 0.8))
    (10, 10000)
    """
    low, high = check_nidf(nidf)
    return _around(_power(documents, high))[1], _around(_power(documents, low))[0]


def _power(documents: int, nidf: float) -> Decimal:
    """The df of that normalised idf: N^(1-x)."""
    rest = _EXACT.subtract(Decimal(1), Decimal(repr(nidf)))
    return _EXACT.exp(_EXACT.multiply(_EXACT.ln(Decimal(documents)), rest))


def _around(value: Decimal) -> tuple[int, int]:
    """The whole numbers below and above a positive number; twice the number itself, if it is whole."""
    near = value.to_integral_value(ROUND_HALF_EVEN)
    if _EXACT.abs(_EXACT.subtract(value, near)) < _SAME:
        return int(near), int(near)
    return int(value), int(value) + 1


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Words and how many of `documents` documents each is in: those of a range of normalised idf, and rarer ones.

    >>> words = pa.table({"word": ["brown", "lazy", "quick"], "df": [3, 1, 2]})
    >>> lexicon = Lexicon.build(words, documents=9, nidf=(0.2, 0.6))
    >>> lexicon.primary, lexicon.secondary, lexicon.words["word"].to_pylist()
    (1, 2, ['brown', 'quick', 'lazy'])
    """

    words: pa.Table
    documents: int
    nidf: tuple[float, float]
    min_df: int = 1
    unicode: str = _native.UNICODE_VERSION
    spelling: str = "restored"
    """Whether words are as a reader sees them (restored) or as they are written (plain)."""

    @classmethod
    def build(cls, counts: pa.Table, documents: int, nidf: Sequence[float] = (0.2, 0.8), min_df: int = 1) -> Self:
        """The lexicon of words (columns word and df) of a corpus of so many documents."""
        ends = check_nidf(nidf)
        if documents < 2:
            raise InputError(f"a lexicon needs at least 2 documents, and there {_are(documents)}")
        least, most = df_range(documents, ends)
        words = _useful(counts.select(SCHEMA.names), least, most, min_df).cast(SCHEMA)
        words = words.sort_by([("df", "descending"), ("word", "ascending")]).combine_chunks()
        lexicon = cls(words, documents, ends, min_df)
        if not lexicon.primary:
            where = f" (in {least} to {most} of {documents} documents)" if least <= most else ""
            asked = f"nidf in {ends[0]:g}:{ends[1]:g}{where}"
            raise InputError(f"no word has {asked}; choose a wider range, or a larger corpus")
        return lexicon

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """A lexicon from its file, here or at a store, which must be as it was written."""
        path = place(path)
        try:
            with pq.ParquetFile(fetch(path), page_checksum_verification=True) as file:
                metadata = (file.schema_arrow.metadata or {}).get(_KEY)
                if metadata is None:
                    raise InputError(f"{shown(path)} is not a lexicon; unquilt lexicon build makes one")
                about = json.loads(metadata)
                format_ = int(about["format"])
                if format_ != FORMAT:
                    known = f"is a lexicon of format {format_}, this unquilt reads {FORMAT}"
                    raise InputError(f"{shown(path)} {known}; build it anew")
                words = file.read()
        except FileNotFoundError:
            raise InputError(f"no such file: {shown(path)}") from None
        except (OSError, pa.ArrowException) as error:
            reason = " ".join(str(error).split())
            raise InputError(f"{shown(path)} cannot be read as a lexicon: {reason}") from error
        except (ValueError, OverflowError, KeyError, TypeError, RecursionError) as error:
            raise InputError(f"{shown(path)} cannot be read as a lexicon: its metadata is damaged") from error
        return cls._checked(path, words, about)

    @classmethod
    def _checked(cls, path: Path, words: pa.Table, about: dict[str, Any]) -> Self:
        """The lexicon of a file, if what the file says can be true."""
        fault = f"{shown(path)} is damaged, or no lexicon that unquilt wrote"
        if not words.schema.equals(SCHEMA) or any(column.null_count for column in words.columns):
            raise InputError(f"{fault}: its columns must be word and df")
        digest = about.pop(_DIGEST, None)
        if digest != _digest(words, about):
            raise InputError(f"{fault}: it does not match its checksum; {_ANEW}")
        try:
            nidf = check_nidf(about["nidf"])
            documents, min_df, unicode = int(about["documents"]), int(about["min_df"]), str(about["unicode"])
            spelling = str(about["spelling"])
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InputError(f"{fault}: its metadata contradicts itself") from error
        most = df_range(documents, nidf)[1] if documents > 1 else 0
        if not words.num_rows or not _is_sorted(words) or words["df"][0].as_py() > most or words["df"][-1].as_py() < 1:
            raise InputError(f"{fault}: its words are not in order, or do not fit its metadata")
        if unicode != _native.UNICODE_VERSION:
            made = f"was made with Unicode {unicode}, this unquilt has {_native.UNICODE_VERSION}"
            raise InputError(f"{shown(path)} {made}; {_ANEW}")
        return cls(words.combine_chunks(), documents, nidf, min_df, unicode, spelling)

    def write(self, path: str | Path) -> None:
        """Writes the file, which is there in full or not at all."""
        path = Path(path)
        about = {
            "format": FORMAT,
            "documents": self.documents,
            "nidf": list(self.nidf),
            "min_df": self.min_df,
            "unquilt": version("unquilt"),
            "unicode": self.unicode,
            "spelling": self.spelling,
        }
        sealed = about | {_DIGEST: _digest(self.words, about)}
        words = self.words.replace_schema_metadata({_KEY: json.dumps(sealed)})
        packing = {"compression": "zstd", "compression_level": 1, "write_page_checksum": True}
        with created(path) as file:
            pq.write_table(words, file, ROWS_PER_GROUP, **packing)

    @property
    def primary(self) -> int:
        """How many words the primary lexicon has; they are the first."""
        least, _ = df_range(self.documents, self.nidf)
        return int(pc.sum(pc.greater_equal(self.words["df"], least)).as_py() or 0)

    @property
    def secondary(self) -> int:
        """How many words the secondary lexicon has, in its order behind the primary one."""
        return int(self.words.num_rows) - self.primary

    def pack(self) -> bytes:
        """The lexicon for kernels, where words are looked up in place: 14 to 16 bytes a word (see `lexicon.rs`)."""
        return _native.pack_lexicon(buffers(self.words["word"]), self.primary)


def pack_counts(counts: Kept, documents: int, nidf: Sequence[float] = (0.2, 0.8), min_df: int = 1) -> Lexicon:
    """The lexicon of a table `words` of a corpus of so many documents. Holds only words that it keeps, in memory."""
    least, most = df_range(max(2, documents), nidf)
    parts = [_useful(split.read(SCHEMA.names), least, most, min_df) for split in counts.splits()]
    found = pa.concat_tables(parts) if parts else SCHEMA.empty_table()
    return Lexicon.build(found, documents, nidf, min_df)


def _useful(words: pa.Table, least: int, most: int, min_df: int) -> pa.Table:
    """Words in the range, and rarer ones in at least `min_df` documents."""
    df = words["df"]
    return words.filter(pc.and_(pc.less_equal(df, most), pc.greater_equal(df, min(least, min_df))))


def _digest(words: pa.Table, about: dict[str, Any]) -> str:
    """SHA-256 of what a lexicon says: what is in its metadata, and the length and spelling and df of each word."""
    spellings = words["word"].combine_chunks()
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for column in (pc.binary_length(spellings), words["df"]):
        _, rows, numbers, _, _ = buffers(column)
        digest.update(memoryview(numbers or b"")[: 8 * rows])
    _, rows, data, offsets, _ = buffers(spellings)
    if rows:
        places = memoryview(offsets).cast("q")
        digest.update(memoryview(data or b"")[places[0] : places[rows]])
    return digest.hexdigest()


def _is_sorted(words: pa.Table) -> bool:
    """By falling df, then by spelling, each word once."""
    before, after = words.slice(0, words.num_rows - 1), words.slice(1)
    ties = pc.and_(pc.equal(before["df"], after["df"]), pc.less(before["word"], after["word"]))
    return bool(pc.all(pc.or_(pc.greater(before["df"], after["df"]), ties), min_count=0).as_py())


def _are(number: int) -> str:
    return f"is {number}" if number == 1 else "are none"
