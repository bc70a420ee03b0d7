"""What `mkdocs build` does beyond its own: see mkdocs.yml, which names this file.

on_files           adds pages that are kept elsewhere in the repository: DESIGN.md and such, records of measurements
on_page_markdown   turns links to these, written for readers of the repository, into links to the added pages; links to
                   other files of the repository, which the site does not have, become their names
on_post_page       forbids browsers to load anything from other hosts, whatever a theme or a script asks for
on_post_build      fails if a page or a style sheet asks for something from another host all the same
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

PROJECT = ("DESIGN.md", "CONTRIBUTING.md", "CHANGELOG.md")
RECORDS = "benchmarks/records"
ICON = "src/unquilt/page/static/icon.svg"
LINK = re.compile(r"(?<!!)\[([^]]*)\]\(([^)#\s:]+)(#[^)\s]*)?\)")
IMPORTED = re.compile(r"""(?:@import\s*|\burl\(\s*)["']?\s*((?:https?:)?//[^"')\s]+)""", re.IGNORECASE)
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "object-src 'none'; base-uri 'self'; form-action 'self'"
)
LOADING = {
    "stylesheet",
    "preload",
    "modulepreload",
    "prefetch",
    "preconnect",
    "dns-prefetch",
    "icon",
    "manifest",
}
"""Of `<link rel=…>`: those for which browsers ask a host for something."""


def added_pages(root: Path) -> dict[str, Path]:
    """Pages of the site that are no files of docs/, and where they are kept."""
    pages = {f"project/{name}": root / name for name in PROJECT}
    return pages | {f"records/{path.name}": path for path in sorted((root / RECORDS).glob("*.md"))}


def list_records(root: Path) -> str:
    """A page that lists all records, the newest first."""
    records = sorted((root / RECORDS).glob("*.md"), reverse=True)
    items = [f"- [{path.stem}]({path.name})" for path in records]
    return "\n".join(["# Records of measurements", "", "Made by `make bench` and `make fuzz`.", "", *items, ""])


def on_files(files: Files, config: MkDocsConfig) -> Files:
    root = Path(config.config_file_path).parent
    for place, path in added_pages(root).items():
        files.append(File.generated(config, place, abs_src_path=str(path)))
    files.append(File.generated(config, "pictures/icon.svg", abs_src_path=str(root / ICON)))
    files.append(File.generated(config, "records/index.md", content=list_records(root)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_: Any) -> str:
    root = Path(config.config_file_path).parent
    kept = {str(path.relative_to(root)): place for place, path in added_pages(root).items()}
    kept[RECORDS] = "records/index.md"
    here = posixpath.dirname(page.file.src_uri)
    origins = {place: origin for origin, place in kept.items()}
    at_home = posixpath.dirname(origins.get(page.file.src_uri, f"docs/{page.file.src_uri}"))

    def point(link: re.Match[str]) -> str:
        text, target, anchor = link.groups()
        meant = posixpath.normpath(posixpath.join(at_home, target))
        place = kept.get(meant) or (meant.removeprefix("docs/") if meant.startswith("docs/") else None)
        if place is not None:
            return f"[{text}]({posixpath.relpath(place, here or '.')}{anchor or ''})"
        if not (root / meant).exists():
            return link[0]
        return text if posixpath.basename(meant) in text else f"{text} (`{meant}`)"

    return LINK.sub(point, markdown)


def on_post_page(output: str, **_: Any) -> str:
    return output.replace("<head>", f'<head><meta http-equiv="Content-Security-Policy" content="{POLICY}">', 1)


class Loads(HTMLParser):
    """Gathers the addresses on other hosts that a browser would ask for something while it shows a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        asked = [given.get("src", ""), given.get("poster", ""), given.get("data", ""), *given.get("srcset", "").split()]
        if tag == "link" and LOADING & set(given.get("rel", "").split()):
            asked.append(given.get("href", ""))
        if tag in ("image", "use"):
            asked += [given.get("href", ""), given.get("xlink:href", "")]
        asked += IMPORTED.findall(given.get("style", ""))
        self.found += [address for address in asked if re.match(r"\s*(?:https?:)?//", address)]

    def handle_data(self, data: str) -> None:
        if self.get_starttag_text() and str(self.get_starttag_text()).startswith("<style"):
            self.found += IMPORTED.findall(data)


def loads_from_outside(folder: Path) -> Iterator[tuple[Path, str]]:
    """Each file of a site that asks for something from another host, and the address."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".html", ".svg"):
            loads = Loads()
            loads.feed(path.read_text())
            yield from ((path, address) for address in loads.found)
        elif path.suffix == ".css":
            yield from ((path, address) for address in IMPORTED.findall(path.read_text()))


def on_post_build(config: MkDocsConfig, **_: Any) -> None:
    found = [f"{path}: {address}" for path, address in loads_from_outside(Path(config.site_dir))]
    if found:
        raise PluginError("pages load from other hosts:\n" + "\n".join(found))
