"""A real browser for tests: Chromium of the system, without a window, which reaches nothing but this machine.

`Browser` is a driver of selenium with what tests of pages ask again and again: what was written to the console (a
script or a style that the content policy refused is an error there), which addresses were asked for, and what axe-core
says about accessibility.
"""

from __future__ import annotations

import json
import shutil
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

WIDE, NARROW = (1280, 900), (390, 900)
_ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",  # tests may run as root, where Chromium has none
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--no-first-run",
    "--no-proxy-server",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)


class Browser:
    """A browser with one tab; `driver` is selenium's."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, url: str) -> None:
        """Go to a page; what earlier ones logged is forgotten."""
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(url)

    def resize(self, size: tuple[int, int]) -> None:
        """Make the page so wide and so high, whatever the least width of a window is."""
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def prefer(self, scheme: str) -> None:
        """Have the pages `light` or `dark`."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def find(self, selector: str) -> Any:
        """The first element that a selector of CSS finds."""
        return self.driver.find_element("css selector", selector)

    def find_all(self, selector: str) -> list[Any]:
        """All elements that a selector of CSS finds."""
        return list(self.driver.find_elements("css selector", selector))

    def ask(self, script: str, *arguments: object) -> Any:
        """What a script returns."""
        return self.driver.execute_script(script, *arguments)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, wherever the focus is."""
        from selenium.webdriver.common.action_chains import ActionChains

        for key in keys:
            ActionChains(self.driver, duration=0).send_keys(key).perform()

    def wait(self, condition: Any, seconds: float = 30) -> Any:
        """Wait until `condition(browser)` is true, and return what it is."""
        from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
        from selenium.webdriver.support.ui import WebDriverWait

        between_pages = [NoSuchElementException, StaleElementReferenceException]
        wait = WebDriverWait(self.driver, seconds, 0.02, between_pages)
        return wait.until(lambda _: condition(self))

    def complaints(self) -> list[str]:
        """Errors and warnings on the console since the page was opened, or since they were last asked for."""
        logged = self.driver.get_log("browser")
        return [entry["message"] for entry in logged if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since then, but for pages of the browser itself."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [message["params"] for message in messages if message["method"] == "Network.requestWillBeSent"]
        asked = [params["request"]["url"] for params in sent]
        return [url for url in asked if not url.startswith("chrome://")]

    def barriers(self) -> list[str]:
        """What keeps some people from using the page, by axe-core: rule, why, and where."""
        if not self.ask("return 'axe' in window"):
            self.ask(_axe())
        found = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; axe.run().then(r => done(r.violations), e => { throw e; })"
        )
        return [f"{rule['id']}: {rule['help']}: {node['html'][:160]}" for rule in found for node in rule["nodes"]]

    def save(self, path: Path) -> None:
        """A picture of what is in view."""
        from selenium.common.exceptions import WebDriverException

        def take(browser: Browser) -> Any:
            try:
                return browser.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
            except WebDriverException:  # on a busy machine, a page that was just drawn is not always ready for it
                return None

        path.write_bytes(b64decode(self.wait(take)["data"]))


@cache
def _axe() -> str:
    return (files("axe_selenium_python") / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@contextmanager
def open_browser(profile: Path) -> Iterator[Browser]:
    """A browser whose files are in a folder; the test is skipped where there is none."""
    pytest.importorskip("selenium", reason="selenium is not installed")
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("there is no Chromium, or not its driver (make browser)")
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = program
    for argument in (*_ARGUMENTS, f"--user-data-dir={profile}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = Chrome(options, Service(driver))
    try:
        opened.set_script_timeout(30)
        yield Browser(opened)
    finally:
        opened.quit()
