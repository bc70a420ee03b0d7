"""Archives that others wrote: of Common Crawl, warcio and the Archives Unleashed Toolkit, good and broken."""

from __future__ import annotations

import tarfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from faulty import resolved

from unquilt.corpus.find import inputs
from unquilt.corpus.options import Reading
from unquilt.corpus.readers import arc, warc
from unquilt.corpus.records import ASIDE, Page, Reject, Skipped, Span, Warned
from unquilt.corpus.sources import Slice, Source

SAMPLES = Path(__file__).parents[3] / "shared" / "data" / "warc-samples.tar.xz"
pytestmark = pytest.mark.skipif(not SAMPLES.exists(), reason=f"no {SAMPLES.name} beside the repository")


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    with tarfile.open(SAMPLES) as archive:
        # Python before 3.11.4 has no filters.
        archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return folder


class Expected(NamedTuple):
    """How many records there are, how many of them pages; what is rejected, and whether there is a warning."""

    records: int
    pages: int
    rejects: tuple[tuple[int, str], ...] = ()
    whole: bool = False


WARCIO, AUT = "warcio-test/test/data/", "warc-aut/src/test/resources/"

# Records and pages of sound WARC files are those that FastWARC counts, less robots.txt and wget's own resources.
EXPECTED = {
    "cc-whirlwind/whirlwind.warc": Expected(4, 1),
    "cc-whirlwind/whirlwind.warc.gz": Expected(4, 1),
    "cc-whirlwind/whirlwind.warc.wat": Expected(2, 0),
    "cc-whirlwind/whirlwind.warc.wat.gz": Expected(2, 0),
    "cc-whirlwind/whirlwind.warc.wet": Expected(2, 1),
    "cc-whirlwind/whirlwind.warc.wet.gz": Expected(2, 1),
    f"{AUT}warc/example.warc.gz": Expected(822, 97),
    f"{AUT}warc/example.docs.warc.gz": Expected(21, 0),
    f"{AUT}warc/example.pdf.warc.gz": Expected(76, 1),
    f"{AUT}warc/example.txt.warc.gz": Expected(6, 1),
    f"{AUT}warc/issue-493.warc": Expected(32, 4),
    f"{AUT}warc/issue-514.warc": Expected(8, 1),
    f"{AUT}arc/example.arc.gz": Expected(300, 97),
    # Dates that are none, and lengths that are longer than the records.
    f"{AUT}arc/badexample.arc.gz": Expected(
        3, 0, ((2369, "garbage"), (2606, "wrong length"), (2882, "wrong length")), whole=True
    ),
    f"{WARCIO}example.arc": Expected(2, 1),
    f"{WARCIO}example.arc.gz": Expected(2, 1),
    f"{WARCIO}bad.arc": Expected(1, 1, ((0, "wrong length"), (134, "wrong length"), (262, "wrong length"))),
    # Someone has made its line ends shorter since.
    f"{WARCIO}example-space-in-url.arc": Expected(1, 0, ((151, "wrong length"),)),
    f"{WARCIO}example.warc": Expected(6, 1),
    f"{WARCIO}example.warc.gz": Expected(6, 1),
    f"{WARCIO}example-bad-non-chunked.warc.gz": Expected(6, 1, whole=True),
    f"{WARCIO}example-bad.warc.gz.bad": Expected(6, 1, whole=True),
    f"{WARCIO}example-digest.warc": Expected(4, 0),
    f"{WARCIO}example-iana.org-chunked.warc": Expected(3, 1),
    f"{WARCIO}example-resource.warc.gz": Expected(3, 1),
    f"{WARCIO}example-space-in-target-uri.warc.gz": Expected(2, 0),
    f"{WARCIO}example-trunc.warc": Expected(3, 0, ((1197, "wrong length"),)),
    f"{WARCIO}example-wget-bad-target-uri.warc.gz": Expected(6, 1),
    # Three members, and the first record in two of them.
    f"{WARCIO}example-wrong-chunks.warc.gz": Expected(2, 1, (), True),
    f"{WARCIO}post-test.warc.gz": Expected(6, 0),
}


def test_all_are_here(samples: Path) -> None:
    files = {str(path.relative_to(samples)) for path in samples.rglob("*") if path.is_file()}
    assert files - {"cc-whirlwind/CC-MAIN-2024-22.warc.paths.gz"} == set(EXPECTED)


def _read(source: Source) -> list[object]:
    return resolved({"warc": warc, "arc": arc}[source.kind].read(Slice(source), Reading()))


@pytest.mark.parametrize("name", EXPECTED)
def test_samples_of_other_tools_are_read(name: str, samples: Path) -> None:
    (source,) = inputs.find(samples / name)
    assert source.kind == ("arc" if ".arc" in name else "warc")
    *found, span = _read(source)
    kinds = Counter(type(each) for each in found if not (isinstance(each, Page) and each.media in ASIDE))
    aside = len(found) - kinds.total()
    rejects = tuple((each.offset, each.reason) for each in found if isinstance(each, Reject))
    assert Expected(kinds[Page] + kinds[Skipped] + aside, kinds[Page], rejects, kinds[Warned] == 1) == EXPECTED[name]
    assert span == Span(0, source.size)


@pytest.mark.parametrize("name", ["example", "example-bad-non-chunked", "example-wget-bad-target-uri"])
def test_a_page(name: str, samples: Path) -> None:
    """Bodies that are gzipped, and chunked or not although they say so."""
    (source,) = inputs.find(samples / WARCIO / f"{name}.warc.gz")
    (page,) = [each for each in _read(source) if isinstance(each, Page) and each.media not in ASIDE]
    assert (page.url, page.ip, page.media, page.truncated) == ("http://example.com/", "93.184.216.34", "html", None)
    assert isinstance(page.content, bytes)
    assert page.content.startswith(b"<!doctype html>")
    assert page.content.rstrip().endswith(b"</html>")


def test_the_same_crawl(samples: Path) -> None:
    """A crawl as ARC and as WARC."""
    pages = []
    for name in ("arc/example.arc.gz", "warc/example.warc.gz"):
        (source,) = inputs.find(samples / AUT / name)
        pages.append([(p.url, p.ip, p.media, p.content, p.charset) for p in _read(source) if isinstance(p, Page)])
    assert pages[0] == pages[1]
