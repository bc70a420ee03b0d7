"""Sites (docs/definitions.md 3.8): the numbers and the rule against plain Python, and what is refused."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

import unquilt as uq
from unquilt.errors import InputError, ParameterError
from unquilt.site_names import name_site


def _text(rng: Random, words: int) -> str:
    return " ".join(f"w{rng.randrange(4000)}" for _ in range(words))


def _pages(seed: int) -> dict[str, list[str]]:
    """Twelve sites with texts of their own, a farm on three domains with one pool, a mirror."""
    rng = Random(seed)
    sites = {f"own{number}.example": [_text(rng, 240) for _ in range(6)] for number in range(12)}
    pool = [" ".join(text.split()[60:110]) for texts in sites.values() for text in texts]
    for farm in range(3):
        sites[f"farm{farm}.example"] = ["\n\n".join(rng.sample(pool, 6)) for _ in range(12)]
    sites["mirrored.example"] = [_text(rng, 200) for _ in range(6)]
    sites["mirror.example"] = list(sites["mirrored.example"])
    return sites


@pytest.fixture(scope="module", params=[1, 2])
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("sites")
    pages = [
        (f"http://www.{site}/{n}", text)
        for site, texts in _pages(request.param).items()
        for n, text in enumerate(texts)
    ]
    table = pa.table({"id": [url for url, _ in pages], "url": [url for url, _ in pages], "text": [t for _, t in pages]})
    uq.ingest(table, folder / "corpus")
    uq.quilts(folder / "corpus", folder / "quilts")
    return folder / "corpus", folder / "quilts"


def test_verdicts(runs: tuple[Path, Path]) -> None:
    found = {row["site"]: row for row in uq.sites([runs[1]]).sites.to_pylist()}
    farms = [found[f"farm{number}.example"] for number in range(3)]
    assert [row["verdict"] for row in farms] == ["stitched"] * 3
    assert len({row["network"] for row in farms}) == 1
    assert farms[0]["network"] is not None
    assert found["mirror.example"]["verdict"] == found["mirrored.example"]["verdict"] == "mirror"
    assert {row["verdict"] for site, row in found.items() if site.startswith("own")} == {"original"}


def test_numbers_are_those_of_plain_python(runs: tuple[Path, Path]) -> None:
    run = uq.read(runs[1])
    site = {row["doc"]: row["domain"] for row in uq.read(runs[0]).documents.select(["doc", "domain"]).to_pylist()}
    quilts = {row["doc"] for row in run.verdicts.to_pylist() if row["quilt"]}
    sources = [row for row in run.sources.to_pylist() if row["quilt"] in quilts]
    drawn = {(site[row["quilt"]], site[row["source"]]) for row in sources if site[row["quilt"]] != site[row["source"]]}
    clusters: dict[int, list[int]] = {}
    for row in run.clusters.to_pylist():
        clusters.setdefault(row["cluster"], []).append(row["doc"])
    for row in uq.sites([runs[1]]).sites.to_pylist():
        name = row["site"]
        assert row["pages"] == sum(each == name for each in site.values())
        assert row["quilts"] == sum(site[doc] == name for doc in quilts)
        assert row["source_sites"] == sum(one == name for one, _ in drawn)
        assert row["takers"] == sum(other == name for _, other in drawn)
        copied = [doc for docs in clusters.values() if len({site[each] for each in docs}) > 1 for doc in docs]
        assert row["copied"] == sum(site[doc] == name for doc in copied)


def test_a_result_does_not_depend_on_the_order_of_runs(runs: tuple[Path, Path], tmp_path: Path) -> None:
    near = uq.neardups(runs[0], tmp_path / "near").path
    one, other = uq.sites([runs[1], near]), uq.sites([near, runs[1]])
    assert one.sites.equals(other.sites)
    assert one.draws.equals(other.draws)
    only = uq.sites([near]).sites.to_pylist()
    assert {row["quilts"] for row in only} == {None}


def test_refusals(runs: tuple[Path, Path], tmp_path: Path) -> None:
    other = uq.quilts(pa.table({"id": ["x"], "text": ["a b c d e f g"]}), tmp_path / "other").path
    with pytest.raises(InputError, match="another corpus"):
        uq.sites([runs[1], other])
    with pytest.raises(InputError, match="run of ingest"):
        uq.sites([runs[0]])
    with pytest.raises(ParameterError, match="path:N"):
        uq.sites([runs[1]], site="planet")
    (row,) = uq.sites([other]).sites.to_pylist()
    assert (row["verdict"], row["reasons"]) == ("cannot tell", "these pages have no URL")


@pytest.mark.parametrize(
    ("by", "url", "expected"),
    [
        ("suffix", "http://jane.github.io/x", "jane.github.io"),
        ("suffix", "http://cs.uni.example.edu/%7Ejane/x", "example.edu/~jane"),
        ("path:2", "http://a.example.edu/b/c/d", "a.example.edu/b/c"),
        ("path:2", "http://a.example.edu/b", "a.example.edu"),
        ("host", "http://a.example.edu/b", "a.example.edu"),
    ],
)
def test_names(by: str, url: str, expected: str) -> None:
    host = url.split("/")[2]
    assert name_site(by, url, host, ".".join(host.split(".")[-2:]), None) == expected
