"""The demo web is what it says: always the same, split at will, mixed like real pages, with quilts of known make."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import islice, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unquilt.demo import DemoPage, page, pages, planted, write_jsonl

SIZE = 3_000
# The digest of the first 300 pages: if it changes, so does every benchmark record and every demo figure.
PINNED = "6d1b6bc56ee63d35e0fd3500204baad4727dd974c16dcf7058a1aad0dec119d4"
# The real mix at k = 5, m = 50: shares of pairs with df = 1, df in 2 … 50, df > 50; sum of patch df² per pair.
REAL = {"unique": 0.34, "patch": 0.58, "common": 0.08, "squares": 168.7 / 41.7}
COPIED = {"quilt", "scrap", "mirror", "near-copy", "reworded", "slice", "network", "pool", "twin"}
WORD = re.compile(r"[\u4e00-\u9fff]|[^\W_\u4e00-\u9fff]+")


def words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def grams(text: str, k: int) -> set[tuple[str, ...]]:
    listed = words(text)
    return set(zip(*(islice(listed, skip, None) for skip in range(k)), strict=False))


def mix(texts: Iterable[str], k: int = 5, m: int = 50) -> dict[str, float]:
    """The plain twin of what `layout` claims: shares of the distinct (gram, document) pairs by document frequency."""
    frequency: Counter[int] = Counter()
    for text in texts:
        frequency.update(map(hash, grams(text, k)))
    by_df = Counter(frequency.values())
    pairs = sum(df * count for df, count in by_df.items())
    patch = {df: count for df, count in by_df.items() if 2 <= df <= m}
    shared = sum(df * count for df, count in patch.items())
    return {
        "unique": by_df[1] / pairs,
        "patch": shared / pairs,
        "common": (pairs - by_df[1] - shared) / pairs,
        "squares": sum(df * df * count for df, count in patch.items()) / pairs,
    }


@cache
def whole() -> list[DemoPage]:
    return list(pages(SIZE))


def number(page_id: str) -> int:
    return int(page_id.removeprefix("page-"))


def host(url: str) -> str:
    return url.split("/")[2]


def domain(url: str) -> str:
    return ".".join(host(url).split(".")[-2:])


def test_first_pages_never_change() -> None:
    digest = hashlib.sha256(repr([(p.id, p.url, p.ip, p.text, p.kind, p.made_of) for p in whole()[:300]]).encode())
    assert digest.hexdigest() == PINNED


def test_other_seeds_are_other_webs() -> None:
    assert page(5, seed=2).text != whole()[5].text


def test_pages_have_the_mean_length_that_is_asked_for() -> None:
    assert sum(len(words(p.text)) for p in whole()) / SIZE == pytest.approx(500, rel=0.05)
    assert sum(len(words(p.text)) for p in pages(400, words=200)) / 400 == pytest.approx(200, rel=0.15)


@pytest.mark.slow
@settings(max_examples=10)
@given(cuts=st.lists(st.integers(0, 150), max_size=3), seed=st.integers(-5, 2**64))
def test_parts_make_the_whole(cuts: list[int], seed: int) -> None:
    borders = sorted({0, *cuts, 150})
    parts = [list(pages(150, seed=seed, words=60, start=a, stop=b)) for a, b in pairwise(borders)]
    assert [p for part in parts for p in part] == list(pages(150, seed=seed, words=60))
    assert page(149, seed=seed, words=60) == parts[-1][-1]


def test_a_page_does_not_depend_on_the_others() -> None:
    assert [page(n) for n in (2_999, 64, 1_500)] == [whole()[n] for n in (2_999, 64, 1_500)]
    assert next(pages(10**9, start=987_654_321)).id == "page-987654321"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pages(10, words=10), "words must be at least 50"),
        (lambda: pages(10, start=-1), "start must not be below 0"),
        (lambda: page(-1), "number must not be below 0"),
    ],
)
def test_bad_arguments_are_named(call, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.slow
def test_mix_is_like_real_pages() -> None:
    measured = mix(p.text for p in whole())
    assert [name for name, real in REAL.items() if not real / 1.5 <= measured[name] <= real * 1.5] == []


def test_ids_and_urls_are_unique() -> None:
    assert len({p.id for p in whole()}) == len({p.url for p in whole()}) == SIZE


def test_hosts_domains_and_addresses() -> None:
    hosts = {host(p.url): p.ip for p in whole()}
    assert SIZE / 25 <= len(hosts) <= SIZE / 15
    assert all(name.endswith(".example") for name in hosts)
    domains = {domain(p.url): p.ip for p in whole()}
    assert len(domains) < len(hosts)
    assert len(set(domains.values())) < len(domains)
    assert len({(domain(p.url), p.ip) for p in whole()}) == len(domains)


def test_every_kind_is_there() -> None:
    kinds = Counter(p.kind for p in whole())
    assert set(kinds) == COPIED | {"article", "original", "listing", "manual", "farm"}
    assert min(kinds.values()) >= 10
    assert any("。" in p.text for p in whole())


def test_copies_come_after_their_sources_on_other_addresses() -> None:
    for p in whole():
        if p.kind in COPIED:
            sources = [whole()[number(name)] for name in p.made_of]
            assert all(s.id < p.id and s.ip != p.ip and domain(s.url) != domain(p.url) for s in sources)
            assert len(set(p.made_of)) == len(p.made_of) > 0


def test_quilts_hold_runs_of_each_source() -> None:
    for p in whole():
        if p.kind in {"quilt", "scrap"}:
            assert 2 <= len(p.made_of) <= 12
            runs = grams(p.text, 25)
            assert all(runs & grams(whole()[number(name)].text, 25) for name in p.made_of)


def test_quilts_are_above_the_thresholds_and_scraps_below_one() -> None:
    for p in whole():
        if p.kind in {"quilt", "scrap"}:
            own = grams(p.text, 5)
            copied = own & set().union(*(grams(whole()[number(name)].text, 5) for name in p.made_of))
            assert (len(copied) / len(own) >= 0.5 and len(p.made_of) >= 4) == (p.kind == "quilt")


def test_sliced_pages_are_sentences_of_others_on_many_hosts_at_one_address() -> None:
    sliced = [p for p in whole() if p.kind == "slice"]
    assert len({p.ip for p in sliced}) == 1
    assert len({host(p.url) for p in sliced}) > len(sliced) / 3
    for p in sliced:
        own = {sentence for paragraph in p.text.split("\n\n")[1:] for sentence in re.split(r"(?<=[.?!]) ", paragraph)}
        theirs = " ".join(whole()[number(name)].text.replace("\n\n", " ") for name in p.made_of)
        assert all(sentence in theirs for sentence in own)


def test_a_farm_is_on_one_site_and_a_network_on_several() -> None:
    sites = {kind: {domain(p.url) for p in whole() if p.kind == kind} for kind in ("pool", "network", "twin")}
    assert {kind: len(domains) for kind, domains in sites.items()} == {"pool": 1, "network": 4, "twin": 1}
    for p in whole():
        if p.kind in {"pool", "network"}:
            assert len(p.made_of) >= 4
            theirs = [" ".join(whole()[number(name)].text.split()) for name in p.made_of]
            for passage in p.text.split("\n\n")[1:]:
                assert any(passage in text for text in theirs)


def test_mirrors_are_equal_and_near_copies_nearly() -> None:
    for p in whole():
        if p.kind in {"mirror", "twin"}:
            assert p.text == whole()[number(p.made_of[0])].text
        if p.kind == "near-copy":
            pairs = list(zip(words(p.text), words(whole()[number(p.made_of[0])].text), strict=True))
            assert 0 < sum(new != old for new, old in pairs) <= 7


def test_reworded_pages_have_most_words_of_their_sources_but_few_in_a_row() -> None:
    for p in whole():
        if p.kind == "reworded":
            source = " ".join(whole()[number(p.made_of[0])].text.split("\n\n")[2:])
            own, theirs = set(words(p.text)), words(source)
            assert sum(word in own for word in theirs) > 0.6 * len(theirs)
            assert len(grams(p.text, 25) & grams(source, 25)) < 0.2 * len(theirs)


def test_versions_of_a_manual_follow_each_other() -> None:
    later = [p for p in whole() if p.kind == "manual" and p.made_of]
    for p in later:
        before = whole()[number(p.made_of[0])]
        assert before.kind == "manual"
        assert before.id < p.id
    assert len(later) > 1_000


def test_planted_lists_all_copies() -> None:
    copies = [p for p in whole()[:1_200] if p.kind in COPIED]
    assert [(p.id, p.url, p.kind, p.made_of) for p in planted(1_200)] == [
        (p.id, p.url, p.kind, p.made_of) for p in copies
    ]


@pytest.mark.parametrize("name", ["web.jsonl", "web.jsonl.gz"])
def test_the_web_is_written_as_json_lines(tmp_path: Path, name: str) -> None:
    assert write_jsonl(tmp_path / name, SIZE, start=10, stop=100) == 90
    opened = gzip.open if name.endswith(".gz") else open
    with opened(tmp_path / name, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    assert records == [{"id": p.id, "url": p.url, "ip": p.ip, "text": p.text} for p in whole()[10:100]]
