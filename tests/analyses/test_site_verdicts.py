"""Sites (docs/definitions.md 3.8): the numbers and the rule against plain Python, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from serving import serving

import unquilt as uq
from unquilt.cli import cli
from unquilt.errors import InputError, ParameterError, RunError, UnquiltError
from unquilt.figures.sites import plot
from unquilt.jobs.options import JobOptions
from unquilt.results import RunFolder
from unquilt.results.sites import find_site, say_all
from unquilt.settings import Settings


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


def _table(pages: list[tuple[str, str]]) -> pa.Table:
    urls, texts = ([page[place] for page in pages] for place in (0, 1))
    return pa.table({"id": urls, "url": urls, "text": texts})


@pytest.fixture(scope="module", params=[1, 2])
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("sites")
    pages = [
        (f"http://www.{site}/{n}", text)
        for site, texts in _pages(request.param).items()
        for n, text in enumerate(texts)
    ]
    uq.ingest(_table(pages), folder / "corpus")
    uq.quilts(folder / "corpus", folder / "quilts")
    return folder / "corpus", folder / "quilts"


def test_farms_and_mirrors_are_told_from_the_rest(runs: tuple[Path, Path]) -> None:
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
        assert row["elsewhere"] == sum(
            site[each["doc"]] == name and each["covered"] >= 0.5 for each in run.verdicts.to_pylist()
        )
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


@pytest.mark.spark_once
def test_runs_of_other_engines_give_the_same_bytes(runs: tuple[Path, Path], settings: Settings, tmp_path: Path) -> None:
    options = JobOptions(settings=settings)
    made = [
        [uq.quilts(runs[0], place / "quilts", options=given), uq.neardups(runs[0], place / "near", options=given)]
        for place, given in ((tmp_path / "theirs", options), (tmp_path / "ours", JobOptions()))
    ]
    theirs, ours = (uq.sites([run.path for run in found]).path for found in made)
    tables = sorted(path.name for path in ours.glob("*.parquet"))
    assert tables == ["draws.parquet", "network_pairs.parquet", "sites.parquet"]
    for name in tables:
        assert (theirs / name).read_bytes() == (ours / name).read_bytes()


def test_a_run_of_another_version_is_refused_in_one_line(runs: tuple[Path, Path], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(runs[1], copy)
    shutil.copytree(runs[0], tmp_path / "corpus")
    verdicts = pq.read_table(copy / "verdicts.parquet").drop_columns("own")
    pq.write_table(verdicts, copy / "verdicts.parquet")
    manifest = json.loads((copy / "manifest.json").read_text())
    for done in manifest["done"].values():
        if "verdicts" in done["tables"]:
            done["tables"]["verdicts"]["bytes"] = (copy / "verdicts.parquet").stat().st_size
    (copy / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(RunError, match=r"verdicts.parquet is damaged: it has no column own; .* run again"):
        uq.sites([copy])
    manifest["unquilt"] = manifest["versions"]["unquilt"] = "0.0.9"
    (copy / "manifest.json").write_text(json.dumps(manifest))
    asked = r"was made by unquilt 0\.0\.9, whose table verdicts is another than that of .*; run unquilt quilts again"
    for look in (lambda: uq.sites([copy]), lambda: RunFolder.open(copy).tables):
        with pytest.raises(RunError, match=asked) as refused:
            look()
        assert len(str(refused.value).splitlines()) == 1


def test_runs_that_do_not_fit_together_are_refused(runs: tuple[Path, Path], tmp_path: Path) -> None:
    other = uq.quilts(pa.table({"id": ["x"], "text": ["a b c d e f g"]}), tmp_path / "other").path
    with pytest.raises(InputError, match="another corpus"):
        uq.sites([runs[1], other])
    with pytest.raises(InputError, match="corpus is a corpus; sites are judged by runs over it: unquilt quilts"):
        uq.sites([runs[0]])
    with pytest.raises(ParameterError, match="path:N"):
        uq.sites([runs[1]], site="planet")
    nowhere = uq.sites([other])
    (row,) = nowhere.sites.to_pylist()
    assert (row["verdict"], row["reasons"]) == ("cannot tell", "these pages have no URL")
    assert say_all(RunFolder.open(nowhere.path), 2)[1] == "There is no verdict on any: these pages have no URL."


def test_a_folder_of_runs_stands_for_them(runs: tuple[Path, Path], tmp_path: Path) -> None:
    for each in runs:
        shutil.copytree(each, tmp_path / each.name)
    uq.neardups(tmp_path / "corpus", tmp_path / "near")
    uq.sites([tmp_path / "quilts"], tmp_path / "sites")
    both = uq.sites([tmp_path / "quilts", tmp_path / "near"])
    assert uq.sites([tmp_path], tmp_path / "all").sites.equals(both.sites)
    shutil.copytree(tmp_path / "near", tmp_path / "strict")
    with pytest.raises(InputError, match=r"near and .*strict are both runs of neardups; name the runs"):
        uq.sites([tmp_path])


def test_a_site_shows_with_its_pages_sources_and_victims(runs: tuple[Path, Path], tmp_path: Path) -> None:
    judged = uq.sites([runs[1]], tmp_path / "sites").path
    folder = RunFolder.open(judged)
    says = say_all(folder, 2)
    assert says[0] == "17 sites: 3 stitched, 2 mirrors, 12 originals."
    assert "is stitched: 12 of 12 pages are quilts, stitched from 12 other sites; nothing of it has a home" in says[1]
    assert says[3] == "1 more site lives off others."
    assert says[4].startswith("farm0.example, farm1.example and farm2.example are one network: two of them share ")
    assert says[5] == "More would be known with runs of phrases, reuse detect, passages."
    (figure,) = plot(folder)
    assert len(figure.rows) == 3 * 12
    assert "<script" not in figure.draw()
    with serving([judged, runs[1]], tmp_path / "labels.sqlite") as served:
        listed = served.get("/runs/sites/tables/sites").text
        assert "/runs/sites/site?name=farm0.example" in listed
        farm = served.get("/runs/sites/site?name=farm0.example").text
        assert "This site is <strong>stitched</strong>: 12 of 12 pages are quilts" in farm
        assert "It is one network with" in farm
        assert "Whom it draws on" in farm
        assert "own3.example" in farm
        assert farm.count(">quilt</a>") == 12
        own = served.get("/runs/sites/site?name=own3.example").text
        assert "Who draws on it" in own
        assert "no quilt" in own or "original" in own
        first = find_site(folder, "farm0.example")
        assert first is not None
        page = served.get(f"/runs/quilts/documents/{first['first']}").text
        assert "Its site, " in page
        assert "<strong>stitched</strong>" in page
        assert served.get("/runs/sites/site?name=nowhere.example").status == 404
        assert "Who draws on whom" in served.get("/runs/sites").text


def test_a_block_list_has_farms_and_no_mirrors(runs: tuple[Path, Path], tmp_path: Path) -> None:
    result = CliRunner().invoke(
        cli, ["sites", str(runs[1]), "-o", str(tmp_path / "sites"), "--block-list", str(tmp_path / "block.txt")]
    )
    assert result.exit_code == 0, result.output
    assert (tmp_path / "block.txt").read_text() == "farm0.example\nfarm1.example\nfarm2.example\n"


def test_a_corpus_of_one_site_and_sites_of_few_pages(tmp_path: Path) -> None:
    rng = Random(3)
    pages = [(f"http://one.example/{n}", _text(rng, 60)) for n in range(6)]
    (row,) = uq.sites([uq.quilts(_table(pages), tmp_path / "one").path]).sites.to_pylist()
    assert (row["verdict"], row["reasons"]) == ("cannot tell", "all pages are on one site")
    pages[0] = ("http://two.example/", pages[0][1])
    rows = uq.sites([uq.quilts(_table(pages), tmp_path / "two").path]).sites.to_pylist()
    assert {row["site"]: row["reasons"] for row in rows}["two.example"] == "it has 1 page, and a verdict needs 5"


def test_a_run_without_a_table_is_named(runs: tuple[Path, Path], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(runs[1], copy)
    shutil.copytree(runs[0], tmp_path / "corpus")
    (copy / "verdicts.parquet").unlink()
    with pytest.raises(UnquiltError, match=r"is not whole any more, .*; run unquilt quilts again") as refused:
        uq.sites([copy])
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize(("kind", "then"), [("beginnings", "scraper"), ("halves", "syndicated")])
def test_pages_of_one_or_two_others_are_told_by_fewer_common_words(kind: str, then: str, tmp_path: Path) -> None:
    """The first 55 % of pages, and halves of two pages: neither site is called ordinary, and the reason says what to
    run. Halves of two pages then look like an agency's reports, which two papers print."""
    rng = Random(8)
    texts = [_text(rng, 240).split() for _ in range(72)]
    pages = [(f"http://own{place % 12}.example/{place}", " ".join(text)) for place, text in enumerate(texts)]
    for number, start in enumerate(range(0, 60, 5)):
        one, other = texts[start], texts[start + 3]
        words = one[:132] if kind == "beginnings" else [*one[:120], *other[120:]]
        pages.append((f"http://farm.example/{number}", " ".join(words)))
    corpus = uq.ingest(_table(pages), tmp_path / "corpus").path
    quilts = uq.quilts(corpus, tmp_path / "quilts").path
    for threshold, verdict in ((0.6, "cannot tell"), (0.3, then)):
        near = uq.neardups(corpus, tmp_path / f"near-{threshold}", threshold=threshold).path
        found = {row["site"]: row for row in uq.sites([quilts, near]).sites.to_pylist()}
        assert found["farm.example"]["verdict"] == verdict
        assert found["farm.example"]["elsewhere"] == 12
        assert verdict == then or "--threshold" in found["farm.example"]["reasons"]
        assert not {row["verdict"] for site, row in found.items() if site != "farm.example"} & {"scraper", "stitched"}


@pytest.mark.parametrize("by", ["host", "ip", "path:1"])
def test_names_of_sites_and_of_links_are_those_of_plain_python(by: str, tmp_path: Path) -> None:
    """Copies that link to where they are from, on sites that are told by something else than domains."""
    rng = Random(9)
    rows = []
    for number in range(6):
        text = _text(rng, 120)
        own, taken = f"http://www.own.example/a/{number}", f"http://www.taker.example/b/{number}"
        rows.append({"id": own, "url": own, "ip": "10.0.0.1", "html": f"<p>{text}</p>"})
        link = f'<p><a href="{own}">source</a></p>'
        rows.append({"id": taken, "url": taken, "ip": "10.0.0.2", "html": f"<p>{text}</p>{link}"})
    rows.append({"id": "nowhere", "url": None, "ip": None, "html": f"<p>{_text(rng, 50)}</p>"})
    (tmp_path / "pages.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    corpus = uq.ingest(tmp_path / "pages.jsonl", tmp_path / "corpus").path
    near = uq.neardups(corpus, tmp_path / "near", threshold=0.6).path
    found = {row["site"]: row for row in uq.sites([near], site=by).sites.to_pylist()}
    places = {"host": "www.{}.example", "ip": "10.0.0.{}", "path:1": "www.{}.example/{}"}[by]
    own, taker = (places.format(*each) for each in ((("own", "a"), ("taker", "b")) if by != "ip" else ((1,), (2,))))
    assert {name: row["pages"] for name, row in found.items()} == {own: 6, taker: 6, None: 1}
    assert (found[taker]["verdict"], found[taker]["linked_copies"]) == ("syndicated", found[taker]["copied"])
    assert found[own]["linked_copies"] == 0
