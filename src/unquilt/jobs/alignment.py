"""Two texts at hand: which passages of one were taken from the other, reworded or not. No corpus is needed.

The work is done by the core (`native/kernels/src/alignment.rs`), as `unquilt reworded` does it for whole corpora; this
is its face for programs. Two pages take well below a millisecond; time grows linearly with their length.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from unquilt import _native
from unquilt.errors import ParameterError

SIGNATURES = ("fuzzy",)


class Alignment(NamedTuple):
    """A passage of `a` and the passage of `b` that it was taken from: places in characters, half-open.

    `score` says by how many nats (units of ln) the words that both share are likelier by reuse than by chance, on the
    side that is explained worse; `a_rate` and `b_rate` are the shares of words of each side that the other has by
    reuse, as estimated.
    """

    a_begin: int
    a_end: int
    b_begin: int
    b_end: int
    score: float
    a_rate: float
    b_rate: float


@dataclass(frozen=True)
class StemRates:
    """How common words are, by their first five letters, in some collection of texts: what chance would share.

    >>> rates = StemRates.count(["the cat and the dog", "the end"])
    >>> len(rates) > 100  # a few words say little: what is usual in English is taken into account
    True
    """

    packed: bytes

    @classmethod
    def count(cls, texts: Iterable[str]) -> StemRates:
        """Those of some texts, of the kind of those that are to be aligned; a few dozen pages are enough."""
        return cls(_native.stem_rates(list(texts)))

    def __len__(self) -> int:
        return len(self.packed) // 12


def align(a: str, b: str, *, signature: str = "fuzzy", rates: StemRates | None = None) -> list[Alignment]:
    """The passages of the text `a` that were taken from the text `b`, copied or reworded, in the order of `a`.

    `a` may also summarise `b`, but not the other way round. Without `rates`, words are held to be as common as they are
    in Debian's documentation in seventeen languages; rates of texts of the same kind give fewer false alarms.

    >>> told = "When the old lighthouse keeper retired in autumn, nobody in the harbour wanted his lonely post. "
    >>> told += "The council offered a cottage, a boat and firewood, but candidates feared the winter storms there. "
    >>> changed = told.replace("When the", "As the").replace("nobody", "no one").replace("offered", "promised")
    >>> [found] = align("Here is news of another kind.\\n" + changed, told + "\\nThe weather stays fair.")
    >>> (found.a_begin, found.b_begin, found.score > 30)
    (30, 0, True)
    """
    if signature not in SIGNATURES:
        raise ParameterError(f"signature must be {' or '.join(SIGNATURES)} for two texts, not {signature!r}")
    return [Alignment(*found) for found in _native.align(a, b, rates.packed if rates is not None else None)]
