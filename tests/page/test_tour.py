"""Somebody who has only the page and has never seen it: finds the worst site, says what it copied and from whom, judges
ten pages, and sends a report of it. All by links, buttons and keys that the page offers, from beginning to end."""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from pathlib import Path

import pytest
from browsing import WIDE, Browser
from serving import Served

import unquilt as uq

pytestmark = pytest.mark.slow


def test_from_the_first_page_to_a_report(browser: Browser, served: Served, web: Path) -> None:
    browser.resize(WIDE)
    served.enter(browser)
    run = uq.read(web / "quilts")
    worst = run.table("quilting_domains", sort="-quilts,-share", limit=1).to_pylist()[0]

    # The first page names the worst site in a sentence, and leads to the sites.
    assert worst["domain"] in browser.find(".runs .card").text
    follow(browser, ".runs .card .links a", "Quilting domains")
    assert browser.find("table.rows tbody td a").text == worst["domain"]

    # Its page says how many of its pages are quilts, and whom they copied.
    browser.find("table.rows tbody td a").click()
    browser.wait(lambda page: page.find("h1").text == worst["domain"])
    told = re.match(
        r"(\d+) of its (\d+) documents? (?:is a|are) quilts?, stitched from pages of (\d+)", sentence(browser)
    )
    assert int(told[1]) == worst["quilts"]
    quilts = run.table("quilts", names=True, where=f"domain = '{worst['domain']}'", columns=["doc"]).column("doc")
    where = f"quilt in ({', '.join(map(str, quilts.to_pylist()))})"
    by_site: Counter[str] = Counter()
    for row in run.table("sources", names=True, where=where, columns=["source_domain", "new_grams"]).to_pylist():
        by_site[row["source_domain"]] += row["new_grams"]
    assert int(told[3]) == len(by_site)
    most = browser.find("[aria-label='Whom it copied'] tbody a").text
    assert by_site[most] == max(by_site.values())

    # One of its quilts, with what was copied beside the page that has it; the next source by a click.
    quilt = next(
        link for link in browser.find_all(".said-of a") if "/runs/quilts/quilts/" in link.get_attribute("href")
    )
    quilt.click()
    browser.wait(lambda page: page.find_all("#there"))
    assert sentence(browser).startswith("Stitched from ")
    browser.find_all(".legend a[data-source]")[1].click()
    browser.wait(lambda page: page.find("#beside .chip").text == "2")

    # Back to the table of quilts; the form below it draws a sample, of which ten are judged by keyboard.
    follow(browser, ".crumb a", "Quilts")
    for field, value in (("sample", "10"), ("seed", "2012"), ("categories", "spam, digest")):
        browser.find(f".sample [name={field}]").clear()
        browser.find(f".sample [name={field}]").send_keys(value)
    browser.find(".sample button").click()
    browser.wait(lambda page: page.find_all("#judge"))
    browser.find("#judge").send_keys("ada\n")
    for number in range(10):
        browser.wait(lambda page, done=number: page.find("#count").text == f"{done} judged")
        browser.wait(lambda page: page.find_all("#verdict[data-ready]"))
        assert browser.find_all("#there")  # the best source is open
        browser.press("1" if number < 7 else "2")
    browser.wait(lambda page: page.find_all("#done"))
    assert "70 %" in browser.find("main").text.replace("\xa0", " ")

    # The page of the run has a report to save and to send.
    follow(browser, ".top nav a", "quilts")
    report = served.get(browser.find("#send a").get_attribute("href").removeprefix(served.address))
    assert report.headers["content-disposition"] == 'attachment; filename="unquilt-quilts.html"'
    assert browser.find("section > .says").text in plain(report.text)
    assert worst["domain"] in report.text
    assert browser.complaints() == []
    assert browser.barriers() == []


def plain(page: str) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)))


def sentence(browser: Browser) -> str:
    return str(browser.find(".sentence").text)


def follow(browser: Browser, selector: str, text: str) -> None:
    """Click on the link that says this."""
    before = browser.driver.current_url
    next(link for link in browser.find_all(selector) if link.text.strip() == text).click()
    browser.wait(lambda page: page.driver.current_url != before)
