"""`unquilt reuse`: from what is copied to who copies it, and what cannot be done is said in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli_neardups import invoke, succeed, write

COPIED = "A paragraph that other sites like so much that they print it as if it were their own."
OURS = [COPIED, "Another paragraph of ours, which nobody cares to copy."]


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """A site that copies, in one of its folders, eight that do not, and a page without a URL."""
    pages = [{"id": f"own{n}", "url": f"http://own{n}.com/{n}", "text": f"Text of page {n}."} for n in range(8)]
    pages += [
        {"id": f"thief{n}", "url": f"http://thief.com/blog/{n}", "text": f"{COPIED}\n\nAd number {n} on this page."}
        for n in range(4)
    ]
    return write(tmp_path / "crawl.jsonl", [*pages, {"id": "lost", "text": COPIED}])


def test_folders_with_the_same_documents_are_named_once(tmp_path: Path) -> None:
    pages = [{"id": f"{n}", "url": f"http://thief.com/a/b/{'c/' * (n % 2)}{n}", "text": COPIED} for n in range(6)]
    others = [{"id": f"x{n}", "url": f"http://other.com/{n}", "text": f"Of {n} alone"} for n in range(30)]
    crawl = write(tmp_path / "crawl.jsonl", [*pages, *others])
    labels = tmp_path / "ours.labels"
    succeed("reuse", "label", write(tmp_path / "ours.jsonl", [{"id": "ours", "text": COPIED}]), "-o", labels)
    asked = ("--labels", labels, "-o", tmp_path / "run", "--neighbourhood-threshold", "0.5")
    said = succeed("reuse", "detect", crawl, *asked)
    folders = said[said.index("The worst folders:") :].splitlines()[1:3]
    assert [line.split()[0] for line in folders] == ["thief.com/a/", "thief.com/a/b/c/"]


def test_who_copies_us(crawl: Path, tmp_path: Path) -> None:
    ours = write(tmp_path / "ours.jsonl", [{"id": "ours", "text": "\n\n".join(OURS)}])
    labels, run = tmp_path / "ours.labels", tmp_path / "run"
    said = succeed("reuse", "label", ours, "-o", labels, "--min-length", "20")
    assert "2 chunks, 1 file, 0 stop chunks in" in said
    assert "more than 20 characters" in succeed("reuse", "info", labels)
    assert json.loads(succeed("reuse", "info", labels, "--json"))["min_length"] == 20
    said = succeed("reuse", "detect", crawl, "--labels", labels, "-o", run)
    assert "5 labelled chunks found" in said
    assert "1 document without a URL, in no neighbourhood" in said
    worst = said.index("The worst sites:\n  thief.com/  badness 0.50, 4 of 8 chunks in 4 documents")
    assert "The worst folders:\n  thief.com/blog/  badness 0.50" in said[worst:]
    targets = [json.loads(line) for line in succeed("show", run, "targets", "--json").splitlines()]
    assert [(row["id"], row["contains"]) for row in targets] == [("lost", 1.0)]
    page = succeed("show", run, "targets", "--doc", "lost")
    assert "1 of 1 chunk labelled (100.0%)" in page
    assert "1       5      2  thief0  http://thief.com/blog/0" in page
    assert "[1: A paragraph that other sites" in page
    found = json.loads(succeed("show", run, "targets", "--doc", "lost", "--json"))
    assert [(each["begin"], each["first_id"]) for each in found["labelled"]] == [(0, "thief0")]
    result = invoke("show", run, "targets", "--doc", "own1")
    assert (result.exit_code, result.stderr) == (2, "unquilt: document 1 is not a target; see the table targets\n")


def test_from_discovery_to_detection(crawl: Path, tmp_path: Path) -> None:
    found, labels = tmp_path / "found", tmp_path / "blind.labels"
    said = succeed("reuse", "discover", crawl, "-o", found)
    assert "1 object found again and again; " in said
    assert f"chunk of {len(COPIED)} characters in 5 documents, 2 sites: {COPIED[:39]}" in said
    succeed("reuse", "label", found, "-o", labels, "--page-threshold", "0.4")
    said = succeed("reuse", "detect", crawl, "--labels", labels, "-o", tmp_path / "run", "--occurrences")
    assert "5 targets: 0 as whole files, 5 by a share of labelled chunks above 0.400" in said
    assert COPIED[:40] in succeed("show", tmp_path / "run", "objects")
    said = succeed("reuse", "discover", crawl, "-o", tmp_path / "none", "--chunk-threshold", "100")
    assert "Nothing occurs more than 100 times (chunks) or 1 times (files)" in said


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (["detect", "CRAWL", "-o", "RUN"], 2, "--labels is missing: name the set to look for"),
        (["detect", "CRAWL", "-o", "RUN", "--labels", "none"], 1, "no such file: none"),
        (["detect", "CRAWL", "-o", "RUN", "--labels", "CRAWL"], 1, "cannot be read as a set of labels: it is no set"),
        (["label", "-o", "RUN"], 2, "name INPUT, or a list with --list"),
        (["label", "CRAWL", "-o", "RUN", "--raw", "--normalise"], 2, "raw and normalise exclude each other"),
        (["discover", "CRAWL", "-o", "RUN", "--min-sites", "0"], 2, "--min-sites must be"),
        (["discover", "CRAWL", "-o", "RUN", "--stop", "none"], 1, "no such file: none"),
        (["find", "CRAWL"], 2, "there is no command 'find'"),
    ],
)
def test_what_cannot_be_done(arguments: list[str], code: int, complaint: str, crawl: Path, tmp_path: Path) -> None:
    places = {"CRAWL": crawl, "RUN": tmp_path / "run"}
    result = invoke("reuse", *(places.get(argument, argument) for argument in arguments))
    assert result.exit_code == code
    assert complaint in result.stderr
    assert result.stderr.count("\n") == 1
