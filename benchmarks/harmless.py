"""Which words of honest texts are changed when words are restored, so that people can look at them.

    python -m benchmarks.harmless [file.jsonl.gz | file.jsonl.xz | folder …] > harmless.md

Without arguments it takes texts of many languages from Debian's packages: word lists, translated manual pages and
messages of programs. They are downloaded with apt-get (run `apt-get update` first) and kept under
`${XDG_CACHE_HOME:-~/.cache}/unquilt-bench`. Lines of JSON have `html` or `text`; each line of a word list is a text.

Of each collection it prints how many texts and words are changed, by what was changed in them, and the words. A word is
listed as `another word` if a word list has it both as it is written and as it is restored.
"""

from __future__ import annotations

import bz2
import gettext
import gzip
import json
import lzma
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.debian import CACHE
from unquilt import _native

FILLER = "\ufdd0"
LISTED = 60
"""Words that are printed of a kind."""
OPENERS = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
LANGUAGES = ("de", "fr", "el", "ru", "uk", "sr", "bg", "mk", "ar", "fa", "he", "hi", "bn", "si", "ta", "th", "ja", "ko")
MORE = ("tr", "vi", "zh_CN", "pl", "es", "ca", "hy", "ka")
PACKAGES = (
    *(f"hunspell-{name}" for name in ("de-de", "fr-classical", "el", "ru", "uk", "sr", "bg", "ar", "he", "th", "ko")),
    *(f"hunspell-{name}" for name in ("vi", "tr", "hi", "bn", "si", "pl", "es", "ca", "fa")),
    *("aspell-fa", "aspell-hi", "aspell-hy", "aspell-el", "wngerman", "wfrench", "wukrainian", "wpolish"),
    *(
        f"manpages-{name}"
        for name in ("de", "fr", "el", "ru", "uk", "sr", "fa", "ko", "ja", "tr", "vi", "pl", "es", "zh")
    ),
    *("iso-codes", "gnome-user-docs", "libc-l10n", "coreutils", "vim-runtime"),
)


def kind(written: str, seen: str) -> str:
    """What was changed in a word."""
    if len(seen) < len(written):
        return "invisible characters"
    return "forms" if unicodedata.normalize("NFKC", written) == seen else "scripts"


def changes(text: str) -> Iterator[tuple[str, str, str]]:
    """The words of a text that are changed: what was changed, the word as it is written, and as it is restored."""
    found = _native.see(text.encode(errors="replace"), b"", b"", b"")
    if found is None:
        return
    seen = found[0].decode()
    for _, begin, end in _native.words(seen, plain=True):
        written, restored = text[begin:end], seen[begin:end].replace(FILLER, "")
        if written != restored:
            yield kind(written, restored), written, restored


def texts(path: Path) -> Iterator[str]:
    """The texts of a file."""
    if path.suffix == ".mo":
        try:
            with path.open("rb") as file:
                yield from (text for text in gettext.GNUTranslations(file)._catalog.values() if isinstance(text, str))
        except UnicodeDecodeError as error:
            print(f"{path}: {error}, left out", file=sys.stderr)
        return
    with OPENERS.get(path.suffix, open)(path, "rb") as file:
        content = file.read()
    if ".jsonl" in path.name:
        for line in content.splitlines():
            page = json.loads(line)
            yield (
                _native.extract(page["html"].encode(errors="replace"), None)[0].decode()
                if "html" in page
                else page["text"]
            )
    elif path.name.endswith((".html", ".page", ".htm")):
        yield _native.extract(content, None)[0].decode(errors="replace")
    elif path.suffix in (".dic", ".wl") or "/dict/" in str(path):
        charset = re.search(rb"^SET\s+(\S+)", _affixes(path), re.MULTILINE)
        lines = content.decode(charset[1].decode() if charset else "utf-8", "replace").splitlines()
        yield from (line.split("/")[0].split("\t")[0] for line in lines)
    else:
        yield content.decode(errors="replace")


def _affixes(path: Path) -> bytes:
    affixes = path.with_suffix(".aff")
    return affixes.read_bytes() if affixes.exists() else b""


def download(folder: Path) -> None:
    """Unpacks the packages that there are."""
    for package in PACKAGES:
        if (folder / package).exists():
            continue
        folder.mkdir(parents=True, exist_ok=True)
        if subprocess.run(
            ["apt-get", "download", "-qq", package], cwd=folder, capture_output=True, check=False
        ).returncode:
            print(f"no package {package}, left out", file=sys.stderr)
            continue
        for archive in folder.glob(f"{package}_*.deb"):
            subprocess.run(["dpkg-deb", "-x", archive, folder / package], check=True)
            archive.unlink()


def languages(folder: Path) -> dict[str, list[Path]]:
    """The files of each language, by the names of packages and folders."""
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        kept = path.suffix in (".mo", ".dic", ".wl", ".page") or "/man/" in str(path) or "/dict/" in str(path)
        if not (path.is_file() and not path.is_symlink() and kept and not path.name.startswith("hyph_")):
            continue
        names = [part.split(".")[0].split("@")[0] for part in parts]
        names += [names[0].partition("-")[2].partition("-")[0], {"wngerman": "de", "wfrench": "fr"}.get(names[0], "")]
        language = next((name for name in (*LANGUAGES, *MORE) if name in names), None)
        if language:
            found.setdefault(language, []).append(path)
    return found


def report(name: str, paths: Iterable[Path]) -> Iterator[str]:
    """The lines about one collection."""
    number = words = changed = 0
    found: dict[str, Counter[tuple[str, str]]] = {}
    listed: set[str] = set()
    for path in paths:
        for text in texts(path):
            number += 1
            words += len(text.split())
            some = list(changes(text))
            changed += bool(some)
            for what, written, restored in some:
                found.setdefault(what, Counter())[written, restored] += 1
            if path.suffix in (".dic", ".wl"):
                listed.add(text)
    yield f"\n## {name}: {number:,} texts, {words:,} words; {changed:,} texts are changed\n"
    for what, counted in sorted(found.items()):
        shown = [f"{_shown(written)} → {restored} ({n})" for (written, restored), n in counted.most_common(LISTED)]
        yield f"- {what}: {counted.total():,} words, {len(counted):,} of them different: {', '.join(shown)}"
        another = [f"{_shown(a)} → {b}" for a, b in counted if a in listed and b in listed]
        if another:
            yield f"- **another word**, {what}, {len(another):,}: {', '.join(another[:LISTED])}"


def _shown(word: str) -> str:
    return "".join(
        f"<{ord(c):04X}>" if unicodedata.category(c) in ("Cf", "Cn", "Mn") and not c.isalnum() else c for c in word
    )


def main() -> None:
    """Print what is changed in the collections that are named, or in those of Debian's packages."""
    if sys.argv[1:]:
        collections = {
            name: [path for path in sorted(Path(name).rglob("*")) if path.is_file()]
            if Path(name).is_dir()
            else [Path(name)]
            for name in sys.argv[1:]
        }
    else:
        download(CACHE / "languages")
        collections = languages(CACHE / "languages")
    for name, paths in collections.items():
        for line in report(name, paths):
            print(line, flush=True)


if __name__ == "__main__":
    main()
