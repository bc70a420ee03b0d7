"""Filters: a set of prototypes, and which of them a document is near to, answered at once.

A set is one file with everything in it that an answer needs: method, lexicon, seeds, and the buckets of its prototypes
(`prototypes.rs`). It is mapped into memory, not loaded, and a look-up costs the same for any number of prototypes.
Every block of it has a checksum, which is compared when the block is first looked at (`checksums.rs`): a damaged set
gives the answer that it would have given before, or an error.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import pyarrow as pa

from unquilt import _native
from unquilt.analyses.neardups import SignatureParameters
from unquilt.columns import buffers
from unquilt.errors import InputError
from unquilt.flow.kept import Kept
from unquilt.remote.fetched import fetch
from unquilt.remote.paths import place
from unquilt.runs.storage import shown, write_atomically
from unquilt.stores.lexicons import Lexicon

_MOST = 1 << 32
_HEADER = {"prototypes": int, "without_signature": int, "parameters": dict, "unicode": str, "words": str}


@dataclass(frozen=True, eq=False)
class Filter:
    """Prototypes, and what is near to them.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "spam.set"
    >>> words = pa.table({"id": ["offer"], "text": ["buy one and get two for the price of three"]})
    >>> Filter.pack(path, [words], SignatureParameters()).match("Buy one, and get two for the price of THREE!")
    ['offer']
    >>> Filter.load(path).match("something else")
    []
    """

    path: Path
    parameters: SignatureParameters
    prototypes: int
    without_signature: int
    """How many of them have too few words to be near to anything."""
    _set: _native.Prototypes
    plain: bool = False
    """Whether words are compared as they are written, not as a reader sees them."""

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Opens a set; takes no longer for a large one, unless it is at a store: then it is fetched.

        What is damaged in it is found when it is first looked at; `verify` looks at all of it. While it is open, its
        file may be replaced by another (as `mv` and unquilt do), but not be written to.
        """
        path = place(path)
        try:
            with fetch(path).open("rb") as file:
                if not os.fstat(file.fileno()).st_size:
                    raise ValueError("it is empty")
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            header = _read_header(_native.Prototypes.header(mapped))
            if header["unicode"] != _native.UNICODE_VERSION:
                made = f"was made with Unicode {header['unicode']}, this unquilt has {_native.UNICODE_VERSION}"
                raise InputError(f"{shown(path)} {made}; build it anew")
            parameters = SignatureParameters.from_dict(header["parameters"])
            opened = _native.Prototypes(mapped, parameters.kernel())
            if opened.count != header["prototypes"]:
                raise ValueError("its header is damaged")
            plain = header["words"] == "plain"
            return cls(path, parameters, opened.count, header["without_signature"], opened, plain)
        except _native.SpoiledSetError as error:
            raise _spoiled(path, error) from error
        except FileNotFoundError:
            raise InputError(f"no such file: {shown(path)}") from None
        except OSError as error:
            raise InputError(f"{shown(path)}: {(error.strerror or str(error)).lower()}") from error
        except ValueError as error:
            raise InputError(f"{shown(path)} cannot be read as a set of prototypes: {error}") from error

    @classmethod
    def pack(
        cls,
        path: str | Path,
        documents: Iterator[pa.Table] | list[pa.Table],
        parameters: SignatureParameters,
        lexicon: Lexicon | None = None,
        base: Filter | None = None,
        *,
        plain: bool = False,
    ) -> Self:
        """Makes a set of documents (columns id and text), behind those of `base` if there is one, and opens it. Texts
        are as readers see them, unless they are `plain`.

        Method and lexicon are then those of `base`, which is verified first. The set is in memory while it is made:
        some 700 bytes a prototype.
        """
        if base is not None:
            base.verify()
            if base.plain != plain:
                kinds = ["restored", "plain"]
                said = f"has {kinds[base.plain]} words, and the documents have {kinds[plain]} ones"
                raise InputError(f"{shown(base.path)} {said}; build it anew")
            parameters, words = base.parameters, base._set.lexicon()
        else:
            if lexicon is not None and (lexicon.spelling == "plain") != plain:
                said = f"has {lexicon.spelling} words, and the documents have {'plain' if plain else 'restored'} ones"
                where = shown(Path(parameters.lexicon)) if parameters.lexicon else "the lexicon"
                raise InputError(f"{where} {said}; build it anew: unquilt lexicon build")
            if lexicon is not None:  # its range is its own, and it is in the set, wherever it came from
                parameters = replace(parameters, lexicon="", nidf=lexicon.nidf, min_df=lexicon.min_df)
            words = b"" if lexicon is None else lexicon.pack()
        ids: list[str] = []
        keys: list[bytes] = []
        counts: list[bytes] = []
        none = 0
        for table in documents:
            ids += table["id"].to_pylist()
            found, number = _native.bucket_keys(buffers(table["text"]), parameters.kernel(), words)
            keys.append(found)
            counts.append(number)
            none += memoryview(number).cast("q").tolist().count(0)
        header = {
            "prototypes": len(ids) + (0 if base is None else base.prototypes),
            "without_signature": none + (0 if base is None else base.without_signature),
            "parameters": parameters.to_dict(),
            "unquilt": version("unquilt"),
            "unicode": _native.UNICODE_VERSION,
            "words": "plain" if plain else "restored",
        }
        old = None if base is None else base._set
        write_atomically(
            Path(path), _native.pack_prototypes(json.dumps(header).encode(), words, ids, keys, counts, old)
        )
        return cls.load(path)

    def match(self, text: str) -> list[str]:
        """The ids of the prototypes that a text is a near-duplicate of, in their order."""
        return self.answer(text) or []

    def answer(self, text: str) -> list[str] | None:
        """The same, but None for a text that has too few words to be compared with anything."""
        try:
            found = self._set.match(text, plain=self.plain)
        except _native.SpoiledSetError as error:
            raise _spoiled(self.path, error) from error
        return found and list(dict.fromkeys(found))  # an id may have been given to several

    def verify(self) -> None:
        """Looks at all of the file; raises an InputError if any of it is damaged."""
        try:
            self._set.verify()
        except _native.SpoiledSetError as error:
            raise _spoiled(self.path, error) from error


def _spoiled(path: Path, error: _native.SpoiledSetError) -> InputError:
    return InputError(f"{shown(path)} {error}; build it anew")


def _read_header(header: bytes) -> dict[str, Any]:
    """What a set says of itself."""
    try:
        found: dict[str, Any] = json.loads(header)
        if all(isinstance(found[name], kind) for name, kind in _HEADER.items()) and 0 <= found["prototypes"] < _MOST:
            return found
    except (ValueError, LookupError, TypeError, RecursionError):
        pass
    raise ValueError("its header is damaged")


def read_documents(documents: Kept) -> Iterator[pa.Table]:
    """The ids of a corpus, and its texts as they are seen, a few at a time."""
    return (split.read(("id", "text"), seen=True) for split in documents.splits())
