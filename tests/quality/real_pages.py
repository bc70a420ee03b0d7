"""Real pages for the judged set of quilts, read from the shared data, each with its site as it was or as it is meant.

A text that came without a URL is a site of its own. A version of a manual is a site: what two versions have in common
is then foreign text, as it is between a site and its successor or mirror.
"""

from __future__ import annotations

import gzip
import json
import lzma
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from unquilt.corpus.extract.documents import extract_document
from unquilt.corpus.options import Reading
from unquilt.corpus.records import Document
from unquilt.corpus.records import Page as Content

SHARED = Path(__file__).parents[3] / "shared" / "data"
NEEDED = ("pan13-train", "kafka-docs", "article-extraction", "minhash-articles", "spamassassin")
DEBIAN = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "unquilt-bench" / "debian-small.jsonl.gz"
PACKAGES = ("sqlite3-doc", "git-doc", "debian-policy", "developers-reference", "maint-guide", "debian-faq")
FILES = [*(SHARED / f"{name}.tar.xz" for name in NEEDED), SHARED / "zh-wiki-sample.jsonl.xz", DEBIAN]


class Page(NamedTuple):
    """A page: its id begins with the name of its collection. `stitched` is None where nobody looked."""

    id: str
    url: str | None
    text: str
    html: str | None = None
    stitched: bool | None = None
    kind: str = ""


def read_tar(name: str, part: str = "") -> Iterator[tuple[str, bytes]]:
    with tarfile.open(SHARED / f"{name}.tar.xz") as tar:
        for member in tar:
            file = tar.extractfile(member) if part in member.name else None
            if file is not None:
                yield member.name, file.read()


def read_pan() -> list[Page]:
    """PAN 2013: the suspicious texts were stitched together from web pages, the sources are such pages."""
    pages = []
    for name, content in sorted(read_tar("pan13-train", ".txt")):
        stem, text = Path(name).stem, content.decode("utf-8-sig", "replace")
        stitched = stem.startswith("suspicious")
        kind = "assembled" if stitched else "copied from"
        pages.append(Page(f"pan/{stem}", f"http://{stem}.example/", text, None, stitched, kind))
    return pages


def read_kafka() -> list[Page]:
    """Kafka's manual: versions 10, 36 and 38, of the API reference the oldest and the newest."""
    pages = []
    for name, content in sorted(read_tar("kafka-docs", ".html")):
        version, _, path = name.removeprefix("./").partition("/")
        if version == "37" or (version == "36" and path.startswith("javadoc")):
            continue
        html = content.decode("utf-8", "replace")
        pages.append(Page(f"kafka/{version}/{path}", f"http://kafka{version}.example/{path}", "", html))
    return pages


def read_debian() -> list[Page]:
    """Manuals in English of some Debian packages, each package a site."""
    with gzip.open(DEBIAN, "rt", encoding="utf-8") as lines:
        chosen = (line for line in lines if line[len('{"id": "') :].startswith(PACKAGES))
        rows = [json.loads(line) for line in chosen]
    return [_with_text(Page(f"debian/{row['id']}", row["url"], "", row["html"])) for row in rows]


def _with_text(page: Page) -> Page:
    made = extract_document(Content("debian", 0, page.id, page.url, None, "html", page.html or ""), Reading())
    assert isinstance(made, Document)
    return page._replace(text=made.text.decode())


def read_news() -> list[Page]:
    """News articles that share sentences with each other."""
    ((_, content),) = read_tar("minhash-articles", "articles_2500.train")
    lines = (line.partition(" ") for line in content.decode("utf-8", "replace").splitlines())
    return [Page(f"news/{name}", f"http://news-{name}.example/", text) for name, _, text in lines]


def read_mails() -> list[Page]:
    """Mails of lists, people and spammers, without their headers."""
    pages = []
    for name, content in sorted(read_tar("spamassassin", ".txt")):
        read = extract_document(Content("mails", 0, name, None, None, "mail", content), Reading())
        if isinstance(read, Document):
            pages.append(Page(f"mail/{name.split('.')[0]}", None, read.text.decode()))
    return pages


def read_wiki() -> list[Page]:
    """Chinese encyclopedia articles."""
    with lzma.open(SHARED / "zh-wiki-sample.jsonl.xz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [Page(f"wiki/{row['id']}", f"http://wiki-{row['id']}.example/", row["text"]) for row in rows]


def read_articles() -> list[str]:
    """The bodies of news pages: text of nobody else, for pages to have words of their own."""
    ((_, content),) = read_tar("article-extraction", "ground-truth.json")
    return [row["articleBody"] for _, row in sorted(json.loads(content).items())]
