"""The documentation: every command is described and used, every page is in the navigation, links of the README lead
somewhere, and the site builds strictly without anything from other hosts."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest
from browsing import Browser

from unquilt.cli import list_commands

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
ADDED = ("project/", "records/")
"""Where pages are put that are kept elsewhere in the repository: see tools/site_hooks.py."""


def examples(page: Path) -> str:
    """The commands of a page, with what they print."""
    return "\n".join(BLOCK.findall(page.read_text()))


def named_in_navigation() -> list[str]:
    """The pages that mkdocs.yml lists."""
    navigation = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
    return re.findall(r": (\S+\.md)$", navigation, re.MULTILINE)


@pytest.mark.parametrize("command", list_commands())
def test_command_is_described_and_used_on_another_page(command: str) -> None:
    described = DOCS / "cli.md"
    assert f"\n## `unquilt {command}`\n" in described.read_text(), "run: make docs"
    used = re.compile(rf"\bunquilt {command}\b")
    others = [examples(page) for page in DOCS.rglob("*.md") if page != described]
    assert any(map(used.search, others)), f"no page but cli.md has an example of unquilt {command}"


def test_every_page_is_in_the_navigation_once() -> None:
    named = [page for page in named_in_navigation() if not page.startswith(ADDED)]
    assert sorted(named) == sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))


@pytest.mark.parametrize("page", ["README.md", "DESIGN.md", "CONTRIBUTING.md"])
def test_relative_links_lead_somewhere(page: str) -> None:
    links = [link for link in LINK.findall((ROOT / page).read_text()) if "://" not in link]
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_readme_is_one_screen() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 80


@pytest.fixture
def hooks() -> ModuleType:
    """tools/site_hooks.py, as MkDocs loads it."""
    pytest.importorskip("mkdocs", reason="MkDocs is not installed: pip install 'unquilt[docs]'")
    found = importlib.util.spec_from_file_location("site_hooks", ROOT / "tools" / "site_hooks.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


LOADS = [
    ("page.html", '<script src="https://cdn.example/a.js"></script>'),
    ("page.html", '<link rel="stylesheet" href="//cdn.example/a.css">'),
    ("page.html", '<link href="https://fonts.example" rel="preconnect">'),
    ("page.html", '<img alt="" src="a.png" srcset="https://cdn.example/b.png 2x">'),
    ("page.html", "<style>@import 'https://cdn.example/a.css';</style>"),
    ("page.html", '<p style="background: url(https://cdn.example/a.png)">'),
    ("page.html", '<iframe src="http://cdn.example/"></iframe>'),
    ("style.css", '@font-face { src: url("https://cdn.example/a.woff2") }'),
    ("style.css", "@import url(//cdn.example/a.css);"),
    ("picture.svg", '<svg><image href="https://cdn.example/a.png"/></svg>'),
]
HARMLESS = [
    ("page.html", '<a href="https://example.org/">a link is followed by people only</a>'),
    ("page.html", '<link rel="next" href="https://example.org/2.html"><img src="data:image/png;base64,AAAA">'),
    ("page.html", "<script>const url = 'https://example.org/' // url(https://example.org/)</script>"),
    ("picture.svg", '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>'),
    ("style.css", "a { background: url(data:image/svg+xml;base64,AAAA) } /* https://example.org/ */"),
]


@pytest.mark.parametrize(("name", "content"), LOADS)
def test_loads_from_other_hosts_are_found(name: str, content: str, hooks: ModuleType, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    assert len(list(hooks.loads_from_outside(tmp_path))) == 1


@pytest.mark.parametrize(("name", "content"), HARMLESS)
def test_links_are_no_loads(name: str, content: str, hooks: ModuleType, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    assert list(hooks.loads_from_outside(tmp_path)) == []


def build(root: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Build the site of a checkout strictly. (Not quietly: then warnings would not count.)"""
    pytest.importorskip("material", reason="Material for MkDocs is not installed: pip install 'unquilt[docs]'")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", root / "mkdocs.yml"]
    told = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run([*command, "--site-dir", folder], check=False, capture_output=True, text=True, env=told)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of this checkout."""
    folder = tmp_path_factory.mktemp("site")
    ended = build(ROOT, folder)
    assert ended.returncode == 0, ended.stderr
    return folder


@pytest.mark.slow
def test_site_builds_strictly_and_has_all_pages(site: Path) -> None:
    missing = [page for page in named_in_navigation() if not (site / page).with_suffix(".html").exists()]
    assert missing == []
    assert "default-src 'self'" in (site / "index.html").read_text()
    assert "quilt" in (site / "search" / "search_index.json").read_text()


@pytest.mark.slow
def test_broken_links_and_forgotten_pages_end_the_build(tmp_path: Path) -> None:
    for name in ("docs", "tools", "benchmarks/records", "src/unquilt/page/static"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("mkdocs.yml", "DESIGN.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "docs" / "forgotten.md").write_text("# Forgotten\n\n[a](nowhere.md), [b](index.md#nowhere)\n")
    ended = build(tmp_path, tmp_path / "site")
    assert ended.returncode == 1
    for complaint in ("- forgotten.md", "a link 'nowhere.md'", "an anchor '#nowhere'"):
        assert complaint in ended.stderr


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which a folder is served on this machine, by another process."""
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        said = re.search(r"port (\d+)", server.stdout.readline())
        assert said is not None
        try:
            yield f"http://127.0.0.1:{said[1]}/"
        finally:
            server.terminate()


@pytest.mark.slow
def test_search_finds_quilts_without_a_network(site: Path, browser: Browser) -> None:
    with served(site) as address:
        browser.open(address + "index.html")
        browser.find("[data-md-component=search-query]").send_keys("quilt")
        found = browser.wait(lambda page: page.find_all(".md-search-result__link"))
        assert any("quilts.html" in link.get_attribute("href") for link in found)
        assert [url for url in browser.requests() if not url.startswith((address, "data:"))] == []
        assert browser.complaints() == []
