"""The pictures of docs/look.md and docs/report.md, taken in a browser over the demo web:
`python tests/take_pictures.py docs/pictures`."""

from __future__ import annotations

import sys
import tempfile
from contextlib import chdir
from pathlib import Path
from urllib.parse import quote

from browsing import Browser, open_browser
from looking import RUNS, find_first, make_web
from serving import Served, serving

from unquilt.page.report.writing import write_report
from unquilt.results import RunFolder

PAGES = 3_000
SIZE = (1120, 720)


def take_all(browser: Browser, served: Served, web: Path, folder: Path) -> None:
    """Open one view after the other, and save what is seen."""
    quilt = find_first(web, "quilts/quilts", "doc", "sources = 6")
    cluster = find_first(web, "near/similarity", "cluster", "least < 0.98 ORDER BY least")
    a, b = (find_first(web, "passages/passage_pairs", side, "passages > 2 ORDER BY weight DESC, a, b") for side in "ab")
    site = quote(find_first(web, "phrases/hosts", "site", "candidate ORDER BY pages DESC"))
    served.enter(browser)
    answer = served.post("/judging", {"of": "quilts/quilts", "sample": 20, "categories": "spam,digest,other"})
    judging = answer.headers["location"]
    worst = find_first(web, "quilts/quilting_domains", "domain", "true ORDER BY quilts DESC, share DESC")
    views = {
        "home": "/",
        "domain": f"/runs/quilts/sites?name={worst}",
        "quilts": "/runs/quilts/tables/quilts?sources.min=5",
        "quilt": f"/runs/quilts/quilts/{quilt}?patch=3",
        "cluster": f"/runs/near/clusters/{cluster}",
        "pair": f"/runs/passages/pairs/{a}/{b}",
        "sites": "/runs/phrases/tables/hosts",
        "site": f"/runs/phrases/phrases?site={site}",
        "neighbourhoods": "/runs/targets/neighbourhoods",
        "document": f"/runs/near/documents/{quilt}",
        "judging": f"{judging}/ada",
    }
    browser.resize(SIZE)
    for name, path in views.items():
        browser.prefer("dark" if name in ("sites", "site") else "light")
        browser.open(served.address + path)
        if name == "neighbourhoods":
            browser.find(".tree summary").click()
            browser.wait(lambda page: page.find_all(".tree .tree"))
        browser.save(folder / f"{name}.png")


def take_report(browser: Browser, web: Path, folder: Path) -> None:
    """The report of the same runs: its beginning, a quilt, and a pair of near-duplicates."""
    output = web / "report.html"
    write_report([RunFolder.open(web / name) for name in RUNS], output, title="Copied text in the demo web")
    browser.resize(SIZE)
    for name, scheme, selector in (
        ("report", "light", "body"),
        ("report-quilt", "light", "section:nth-of-type(1) article"),
        ("report-pair", "dark", "section:nth-of-type(2) article"),
    ):
        browser.prefer(scheme)
        browser.open(output.absolute().as_uri())
        browser.ask("arguments[0].scrollIntoView(); window.scrollBy(0, -12)", browser.find(selector))
        browser.save(folder / f"{name}.png")


def main() -> None:
    folder = Path(sys.argv[1]).absolute()
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place, chdir(place):  # so that no path of this machine is in the pictures
        web = Path("demo-web")  # what the report calls the corpus
        web.mkdir()
        make_web(web, PAGES)
        runs = [web / name for name in RUNS]
        with serving(runs, Path("labels.sqlite")) as served, open_browser(Path("browser").absolute()) as browser:
            take_all(browser, served, web, folder)
            take_report(browser, web, folder)


if __name__ == "__main__":
    main()
