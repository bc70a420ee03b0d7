"""The files that examples take for granted: the demo web and its runs, and what people have instead of it (a crawl in
archives, mails, pages of their own), made from the demo web."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Callable, Iterable
from email.message import EmailMessage
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any

DEMO = "demo-run"
WORD = re.compile(r"[^\s'\"|;&<>()]+")
NOT_READ = re.compile(r"(?:-o|--output|--export|>)\s*[^\s'\"|;&<>()]+|\bunquilt [a-z]+")
"""What a command writes, and the command itself: `unquilt passages … -o passages` reads neither."""
COMMANDS = {
    "run": "unquilt quilts corpus -o run",
    "near": "unquilt neardups corpus -o near --threshold 0.8",
    "passages": "unquilt passages corpus -o passages",
    "repeats": "unquilt repeats corpus -o repeats",
    "phrases": "unquilt phrases corpus -o phrases --site ip",
    "copied": "unquilt reuse discover corpus -o copied",
    "copies": "unquilt reuse detect corpus --labels ours.labels -o copies",
    "sweep": "unquilt sweep corpus -o sweep",
    "experiment": "unquilt experiment reuse corpus -o experiment",
    "corpus-2023": "unquilt ingest crawl-1 -o corpus-2023",
    "corpus-2024": "unquilt ingest crawl-2 -o corpus-2024",
    "ours.labels": "unquilt reuse label our-pages/ -o ours.labels",
    "theirs.labels": "unquilt reuse label essays/ -o theirs.labels --min-length 100",
    "known.labels": "unquilt reuse label books/ -o known.labels",
    "blind.labels": "unquilt reuse label copied -o blind.labels",
    "news.lexicon": "unquilt lexicon build news/*.jsonl.gz -o news.lexicon",
    "mail.lexicon": "unquilt lexicon build corpus -o mail.lexicon --nidf 0.2:0.3",
    "spam.set": "unquilt filter --build spam/ -o spam.set",
    f"{DEMO}/near": f"unquilt neardups {DEMO}/corpus -o {DEMO}/near",
    f"{DEMO}/phrases": f"unquilt phrases {DEMO}/corpus -o {DEMO}/phrases --site ip",
    f"{DEMO}/copied": f"unquilt reuse discover {DEMO}/corpus -o {DEMO}/copied",
    f"{DEMO}/copied.labels": f"unquilt reuse label {DEMO}/copied -o {DEMO}/copied.labels",
    f"{DEMO}/targets": f"unquilt reuse detect {DEMO}/corpus --labels {DEMO}/copied.labels -o {DEMO}/targets",
}
"""Runs and other results by the names that examples have for them."""


def replaces(command: str) -> bool:
    """Whether a command makes a name that the desk provides, in another way."""
    made = [word.split()[-1] for word in re.findall(r"-o [^\s'\"|;&<>()]+", command)]
    return any(name in COMMANDS and command != COMMANDS[name] for name in made)


class Desk:
    """Provides the folder of a page with the names that its commands use and have not made.

    `store` is where each of them is made when it is first asked for; folders get copies. `run` runs a command.
    """

    def __init__(self, store: Path, run: Callable[[str, Path], None], pages: int = 3000) -> None:
        self.store, self._run, self._size = store, run, pages
        self._lock = RLock()
        self._makers: dict[str, Callable[[Path], None]] = {
            "crawl": lambda place: write_archives(place, self._pages[:1000], 500),
            "crawl-1": lambda place: write_archives(place, self._pages[:200], 1000),
            "crawl-2": lambda place: write_archives(place, self._pages[200:400], 1000),
            "new": lambda place: write_archives(place, self._pages[180:200], 1000),
            "new.jsonl": lambda place: write_lines(place, self._pages[180:200]),
            "pages.jsonl": lambda place: write_lines(place, self._pages[:200]),
            "pages.jsonl.gz": lambda place: write_lines(place, self._pages[:1000]),
            "posts.jsonl": lambda place: write_lines(
                place, ({"title": page["id"], "body": page["text"]} for page in self._pages[:120])
            ),
            "pages.parquet": self._write_parquet,
            "news": lambda place: write_lines(place / "2026.jsonl.gz", self._pages[:1500]),
            "site": lambda place: write_html(place / "guide", self._pages[:20]),
            "saved": lambda place: write_html(place / "www.example.org", self._pages[:20]),
            "our-pages": lambda place: write_html(place, self._pages[:60]),
            "books": lambda place: write_texts(place, self._of_kind("/20", 200)),
            "essays": lambda place: write_texts(place, self._of_kind("/posts/", 40) + self._of_kind("/retold/", 20)),
            "mails": lambda place: write_mails(place, self._pages[:300]),
            "spam": lambda place: write_mails(place, self._pages[:60]),
            "more-spam": lambda place: write_mails(place, self._pages[60:90]),
            "inbox": lambda place: write_mails(place, self._pages[50:120]),
            "inbox.mbox": lambda place: write_mailbox(place, self._pages[50:120]),
            "hashes.txt": lambda place: place.write_text("0" * 40 + "\n" + "file " + "1" * 40 + "\n"),
            "known.jsonl": lambda place: self._write_known(place, ".jsonl"),
            "known.csv": lambda place: self._write_known(place, ".csv"),
            "pan13-train": self._write_pan,
        }
        self._names = {*self._makers, *COMMANDS, DEMO, "corpus"}

    def provide(self, command: str, folder: Path) -> None:
        """Copy what a command reads, and what is not in the folder, from the store."""
        for name in self._read_by(command, folder):
            with self._lock:
                self._make(name)
            for needed in (*self._read_by(COMMANDS.get(name, ""), folder), name):
                self._copy(self.store / needed, folder / needed)

    def _read_by(self, command: str, folder: Path) -> list[str]:
        """The names that a command reads, and that are not in a folder."""
        words = [word.rstrip("/").split("/") for word in WORD.findall(NOT_READ.sub("", command))]
        names = ["/".join(parts[:number]) for parts in words for number in (1, 2, len(parts))]
        return [name for name in dict.fromkeys(names) if name in self._names and not (folder / name).exists()]

    def _make(self, name: str) -> None:
        """Make a name in the store, and before it what it is made of."""
        if (self.store / name).exists():
            return
        if name == DEMO:
            self._run(f"unquilt demo --pages {self._size} --quiet", self.store)
        elif name == "corpus":
            self._copy(self._demo / "corpus", self.store / "corpus")
        elif name in COMMANDS:
            for needed in self._read_by(COMMANDS[name], self.store):
                self._make(needed)
            self._run(f"{COMMANDS[name]} --quiet", self.store)
        else:
            self._makers[name](self.store / name)

    @staticmethod
    def _copy(origin: Path, place: Path) -> None:
        if origin.is_dir():
            shutil.copytree(origin, place, dirs_exist_ok=True)
        else:
            shutil.copy(origin, place)

    @cached_property
    def _demo(self) -> Path:
        self._make(DEMO)
        return self.store / DEMO

    @cached_property
    def _pages(self) -> list[dict[str, Any]]:
        files = sorted(self._demo.glob("pages-*/*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]

    def _of_kind(self, part: str, most: int) -> list[dict[str, Any]]:
        return [page for page in self._pages if part in page["url"]][:most]

    def _write_parquet(self, place: Path) -> None:
        rows = [{"page_id": page["id"], "content": page["text"], "url": page["url"]} for page in self._pages[:500]]
        (place.parent / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
        code = (
            "import json, pyarrow as pa, pyarrow.parquet as pq; rows = json.load(open('rows.json', encoding='utf-8'))"
        )
        self._run(f"python -c \"{code}; pq.write_table(pa.Table.from_pylist(rows), '{place.name}')\"", place.parent)

    def _write_known(self, place: Path, ending: str) -> None:
        self._make("passages")
        columns = "a_id,b_id,a_begin,a_end,b_begin,b_end"
        self._run(f"unquilt export passages passages --columns {columns} -o exported{ending} --quiet", place.parent)
        text = (place.parent / f"exported{ending}").read_text(encoding="utf-8")
        place.write_text(text.replace("a_id", "a").replace("b_id", "b"), encoding="utf-8")

    def _write_pan(self, place: Path) -> None:
        """Labels as PAN publishes them: a file for each pair of documents, in a folder for each category."""
        self._make("known.jsonl")
        (place / "02-no-obfuscation").mkdir(parents=True)
        for line in (place.parent / "known.jsonl").read_text(encoding="utf-8").splitlines()[:50]:
            row = json.loads(line)
            spans = {
                "this_offset": row["a_begin"], "this_length": row["a_end"] - row["a_begin"],
                "source_offset": row["b_begin"], "source_length": row["b_end"] - row["b_begin"],
            }  # fmt: skip
            feature = " ".join(f'{key}="{value}"' for key, value in spans.items())
            (place / "02-no-obfuscation" / f"{row['a']}-{row['b']}.xml").write_text(
                f'<document reference="{row["a"]}">\n<feature name="plagiarism" '
                f'source_reference="{row["b"]}" {feature} />\n</document>\n'
            )


def paragraphs(page: dict[str, Any]) -> str:
    """The text of a page as HTML."""
    return "".join(f"<p>{part}</p>\n" for part in page["text"].replace("&", "&amp;").split("\n\n"))


def write_archives(place: Path, pages: list[dict[str, Any]], size: int) -> None:
    """Pages as a crawler writes them: responses in WARC, one gzip member each."""
    place.mkdir(parents=True)
    for number, start in enumerate(range(0, len(pages), size)):
        with (place / f"part-{number:02}.warc.gz").open("wb") as file:
            for page in pages[start : start + size]:
                file.write(gzip.compress(record(page), 1, mtime=0))


def record(page: dict[str, Any]) -> bytes:
    """A page as a record of a WARC."""
    body = f"<!doctype html><html><body>\n{paragraphs(page)}</body></html>\n".encode()
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
    number = int(re.sub(r"\D", "", page["id"]) or 0)
    header = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {page['url']}\r\nWARC-Date: 2026-05-01T00:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012}>\r\nWARC-IP-Address: {page['ip']}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return header.encode() + http + b"\r\n\r\n"


def write_lines(place: Path, pages: Iterable[dict[str, Any]]) -> None:
    """Pages as JSON lines, compressed if the name says so."""
    place.parent.mkdir(parents=True, exist_ok=True)
    data = "".join(json.dumps(page) + "\n" for page in pages).encode()
    place.write_bytes(gzip.compress(data, 1, mtime=0) if place.suffix == ".gz" else data)


def write_html(place: Path, pages: Iterable[dict[str, Any]]) -> None:
    """Pages as files of HTML."""
    place.mkdir(parents=True)
    for page in pages:
        (place / f"{page['id']}.html").write_text(f"<html><body>{paragraphs(page)}</body></html>", encoding="utf-8")


def write_texts(place: Path, pages: Iterable[dict[str, Any]]) -> None:
    """Pages as plain text."""
    place.mkdir(parents=True)
    for page in pages:
        (place / f"{page['id']}.txt").write_text(page["text"], encoding="utf-8")


def message(page: dict[str, Any]) -> bytes:
    """A page as a mail."""
    mail = EmailMessage()
    mail["From"], mail["To"] = "sender@mail.example", "reader@mail.example"
    mail["Subject"], mail["Message-ID"] = page["id"], f"<{page['id']}@mail.example>"
    mail.set_content(page["text"])
    return mail.as_bytes()


def write_mails(place: Path, pages: Iterable[dict[str, Any]]) -> None:
    """Pages as mails, a file each."""
    place.mkdir(parents=True)
    for page in pages:
        (place / f"{page['id']}.eml").write_bytes(message(page))


def write_mailbox(place: Path, pages: Iterable[dict[str, Any]]) -> None:
    """Pages as mails in one mailbox."""
    stamp = b"From sender@mail.example Fri May  1 00:00:00 2026\n"
    place.write_bytes(b"".join(stamp + message(page) + b"\n" for page in pages))
