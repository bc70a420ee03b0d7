"""Several labels for an item, in a real browser: ticked by keys or by clicks, saved by Enter or by a click."""

from __future__ import annotations

import pytest
from browsing import NARROW, WIDE, Browser
from serving import Served

pytestmark = pytest.mark.slow


@pytest.fixture
def sample(served: Served, browser: Browser) -> str:
    """The address of a sample in which an item can be of several categories; drawn once, as the seed is the same."""
    served.enter(browser)
    asked = {"of": "targets/neighbourhoods", "sample": 4, "seed": 5, "categories": "spam,shop,empty"}
    return str(served.post("/judging", asked | {"several": "1"}).headers["location"])


def said(served: Served, sample: str, judge: str) -> list[str]:
    return [item.category for item in served.workspace.labels.items(sample.rpartition("/")[2], judge)]


def test_they_are_ticked_and_saved_by_keys(browser: Browser, served: Served, sample: str) -> None:
    for size, scheme in ((WIDE, "dark"), (NARROW, "light")):
        browser.resize(size)
        browser.prefer(scheme)
        browser.open(f"{served.address}{sample}/ada")
        assert browser.barriers() == []
    browser.resize(WIDE)
    for done, keys in enumerate((("3", "1"), ("2", "1", "2"), ("2",))):
        browser.wait(lambda page, done=done: page.find("#count").text == f"{done} judged")
        browser.wait(lambda page: page.find_all("#verdict[data-ready]"))
        browser.press(*keys)
        assert browser.find_all(".choice :checked")
        browser.press("\n")
        browser.wait(lambda page, done=done: page.find("#count").text == f"{done + 1} judged")
    assert said(served, sample, "ada") == ["spam, empty", "spam", "shop", ""]
    browser.wait(lambda page: page.find_all("#verdict[data-ready]"))
    browser.press("\n")  # nothing is ticked
    browser.wait(lambda page: "choose at least one" in page.find("#said").text)
    browser.press("u")
    browser.wait(lambda page: page.find("#position").text == "item 3 of 4")
    browser.open(f"{served.address}{sample}/ada?item=1")
    assert [box.get_attribute("value") for box in browser.find_all(".choice :checked")] == ["spam", "empty"]
    assert browser.complaints() == []


def test_enter_on_a_link_follows_it_and_saves_nothing(browser: Browser, served: Served, sample: str) -> None:
    browser.open(f"{served.address}{sample}/eve?item=1")
    browser.wait(lambda page: page.find_all("#verdict[data-ready]"))
    browser.press("1")
    browser.ask("document.querySelector('[rel=next]').focus()")
    browser.press("\n")
    browser.wait(lambda page: page.find("#position").text == "item 2 of 4")
    assert said(served, sample, "eve") == [""] * 4


def test_they_are_clicked_without_scripts_too(browser: Browser, served: Served, sample: str) -> None:
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.open(f"{served.address}{sample}/bob")
        for place in (1, 2):
            browser.find_all(".choice input")[place].click()
        browser.find("button.keep").click()
        browser.wait(lambda page: page.find("#count").text == "1 judged")
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert said(served, sample, "bob")[0] == "shop, empty"
    browser.open(f"{served.address}{sample}")
    assert "several labels for an item" in browser.find(".lead").text
    assert "more than 100 %" in browser.find("main").text.replace("\xa0", " ")
