"""The browser that other tests look through."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import Browser

pytestmark = pytest.mark.slow


def test_it_shows_files_and_reports_what_is_wrong_with_them(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        "<!doctype html><html lang=en><title>a page</title><h1>A heading</h1>"
        "<img src='http://elsewhere.example/x.png'><script>console.error('no')</script>"
    )
    browser.open(page.as_uri())
    assert browser.find("h1").text == "A heading"
    assert any("no" in line for line in browser.complaints())
    assert "http://elsewhere.example/x.png" in browser.requests()
    assert any(line.startswith("image-alt") for line in browser.barriers())
