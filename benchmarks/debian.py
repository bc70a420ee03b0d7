"""The Debian documentation corpora: gzipped JSON lines (id, url, html) that the script `debian-docs` makes.

The benchmarks and the tests that read real data share these files. They are made once, under
`${XDG_CACHE_HOME:-~/.cache}/unquilt-bench`, by the script beside the shared data (its downloads are kept too).
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "unquilt-bench"


def debian(tier: str) -> Path:
    """The pages of the tier small, medium or large; made if they are missing."""
    target = CACHE / f"debian-{tier}.jsonl.gz"
    if not target.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        partial = target.with_suffix(".partial")
        subprocess.run(["bash", SHARED / "debian-docs", tier, partial], check=True, stdout=sys.stderr)
        partial.rename(target)
    return target


def as_warc(pages: Path) -> Path:
    """The same pages as a .warc.gz of responses, a gzip member each; made if it is missing."""
    target = pages.with_name(pages.name.removesuffix(".jsonl.gz") + ".warc.gz")
    if not target.exists():
        partial = target.with_suffix(".partial")
        with gzip.open(pages, "rb") as lines, partial.open("wb") as out:
            for line in lines:
                out.write(gzip.compress(_response(json.loads(line)), 6))
        partial.rename(target)
    return target


def _response(page: dict[str, str]) -> bytes:
    body = page["html"].encode("utf-8", "replace")
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    fields = {
        "WARC-Type": "response",
        "WARC-Record-ID": f"<urn:debian:{page['id']}>",
        "WARC-Target-URI": page["url"],
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": len(http) + len(body),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return b"WARC/1.0\r\n" + head.encode() + b"\r\n" + http + body + b"\r\n\r\n"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(debian(name))
