"""The pages of a site that are copied in the experiment with reuse, and how often their chunks and files occur."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from unquilt import _native
from unquilt.analyses.reuse_experiment import ReuseExperimentParameters
from unquilt.columns import buffers
from unquilt.engines.progress import Progress, Step
from unquilt.errors import InputError
from unquilt.jobs.corpora import documents
from unquilt.runs import Run
from unquilt.stores.labels import cut


@dataclass(frozen=True)
class CopiedSite:
    """Pages that are copied: of each the hashes of its chunks; how often each of these occurs in the pages, and in all
    of the corpus; and how often the file of each page occurs there."""

    prefix: str
    pages: Sequence[Sequence[bytes]]
    occurrences: Mapping[bytes, int]
    everywhere: Mapping[bytes, int]
    files: Sequence[int]

    @property
    def mean_chunks(self) -> float:
        return sum(map(len, self.pages)) / len(self.pages)

    def count_chunks(self, copies: int) -> dict[bytes, int]:
        """How often each chunk occurs in the corpus after the pages were copied so many times."""
        return {chunk: self.everywhere[chunk] + copies * here for chunk, here in self.occurrences.items()}

    def discover(self, copies: int, threshold: int) -> set[bytes]:
        """The chunks that occur more often than the threshold then."""
        return {chunk for chunk, number in self.count_chunks(copies).items() if number > threshold}


def read_site(corpus: Run, given: ReuseExperimentParameters, progress: Progress) -> CopiedSite:
    """The pages of a site that have chunks, and how often their chunks occur in the corpus."""
    with progress.stage("copied_pages", documents(corpus).rows * (3 if given.site else 4)) as step:
        prefix = given.site or f"{_find_largest_host(corpus, step)}/"
        pages, digests = _find_pages(corpus, prefix, given.pages, step)
        if not pages:
            raise InputError(f"no page whose URL begins with {prefix[:200]} has any chunks: say which with site")
        occurrences = Counter(chunk for page in pages for chunk in page)
        everywhere = _count(corpus, "chunk_sha1", list(occurrences), step)
        files = _count(corpus, "raw_sha1", list(set(digests)), step)
    return CopiedSite(prefix, pages, occurrences, everywhere, [files[digest] for digest in digests])


def _find_pages(corpus: Run, prefix: str, most: int, step: Step) -> tuple[list[Sequence[bytes]], list[bytes]]:
    """The chunks of each of the first pages under a prefix, and the digest of its file."""
    pages: list[Sequence[bytes]] = []
    digests: list[bytes] = []
    for part in _read(corpus, ["url", "chunks", "trivial_chunks", "chunk_sha1", "raw_sha1"], step):
        own = pc.starts_with(pc.replace_substring_regex(part["url"], "^[a-z]+://", ""), prefix)
        part = part.filter(pc.fill_null(own, False))
        for row in range(part.num_rows):
            if len(pages) == most:
                break
            chunks, trivial, texts = (buffers(part[name].slice(row, 1)) for name in part.column_names[1:4])
            if hashes := cut(_native.chunk_hashes(chunks, trivial, texts, False, 0)):
                pages.append(hashes)
                digests.append(part["raw_sha1"][row].as_py())
    return pages, digests


def _read(corpus: Run, columns: Sequence[str], step: Step) -> Iterator[pa.Table]:
    for split in documents(corpus).splits():
        part = split.read([*columns, "recursive"])
        yield part.filter(pc.invert(part["recursive"])).select(list(columns))
        step(part.num_rows)


def _find_largest_host(corpus: Run, step: Step) -> str:
    """The host with the most pages; of several, the first by name."""
    hosts: Counter[str] = Counter()
    for part in _read(corpus, ["host"], step):
        hosts.update(part["host"].drop_null().to_pylist())
    if not hosts:
        raise InputError("no document has a URL, so there is no site to copy: say --base-url, or which with site")
    return min(hosts, key=lambda host: (-hosts[host], host))


def _count(corpus: Run, column: str, wanted: Sequence[bytes], step: Step) -> Counter[bytes]:
    """How often each of these hashes occurs in the corpus."""
    found: Counter[bytes] = Counter()
    values = pa.array(wanted, pa.binary(20))
    for part in _read(corpus, [column], step):
        hashes = part[column].combine_chunks()
        hashes = hashes.flatten() if pa.types.is_list(hashes.type) else hashes
        found.update(hashes.filter(pc.is_in(hashes, value_set=values)).to_pylist())
    return found
