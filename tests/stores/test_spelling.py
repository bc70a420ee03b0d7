"""Stores whose words are not like those of the corpus are refused, in one line that says what to do."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import unquilt as uq
from unquilt import _native
from unquilt.errors import InputError
from unquilt.stores.labels import About, HashList, LabelSet, hash_text
from unquilt.stores.lexicons import Lexicon

TEXT = "nobody can see that these words are written in another way"
PAGES = pa.table({"id": ["a", "b", "c"], "text": [TEXT, TEXT.replace("o", "о"), "some other words of a page"]})
PLAIN = uq.JobOptions(reading=uq.Reading(words="plain"))


@pytest.fixture
def corpora(tmp_path: Path) -> dict[str, Path]:
    return {
        "restored": uq.ingest(PAGES, tmp_path / "restored").path,
        "plain": uq.ingest(PAGES, tmp_path / "plain", options=PLAIN).path,
    }


@pytest.mark.parametrize(("made", "asked"), [("plain", "restored"), ("restored", "plain")])
def test_a_lexicon_of_other_words_is_refused(corpora: dict[str, Path], tmp_path: Path, made: str, asked: str) -> None:
    lexicon = tmp_path / "lexicon"
    uq.build_lexicon(corpora[made], output=lexicon, nidf=(0, 1))
    uq.neardups(corpora[made], method="imatch", lexicon=str(lexicon))
    says = rf"has {made} words, and the .* {asked} ones; "
    with pytest.raises(InputError, match=says + "make it anew"):
        uq.neardups(corpora[asked], method="imatch", lexicon=str(lexicon))
    with pytest.raises(InputError, match=says + "build it anew"):
        uq.build_filter(corpora[asked], output=tmp_path / "set", method="imatch", lexicon=str(lexicon))


@pytest.mark.parametrize(("made", "asked"), [("plain", "restored"), ("restored", "plain")])
def test_labels_of_other_words_are_refused(corpora: dict[str, Path], tmp_path: Path, made: str, asked: str) -> None:
    ours, others = tmp_path / "ours", tmp_path / "others"
    uq.label(corpora[made], output=ours)
    assert LabelSet.load(ours).spelling == made
    uq.detect(corpora[made], labels=str(ours))
    with pytest.raises(InputError, match=f"has {made} words, and the corpus has {asked} ones; make it anew"):
        uq.detect(corpora[asked], labels=str(ours))
    uq.label(corpora[asked], output=others)
    with pytest.raises(InputError, match=r"words, others .* ones: they cannot be compared"):
        uq.label([str(ours), str(others)], output=tmp_path / "both")
    with pytest.raises(InputError, match=r"words, the others .* ones; make it anew"):
        uq.label(corpora[asked], output=tmp_path / "rest", subtract=(str(ours),))
    run = uq.discover(corpora[made], tmp_path / "found", chunk_threshold=1)
    assert LabelSet.load(uq.label(run.path, output=tmp_path / "discovered").path).about.words == made


def test_what_is_compared_with_the_source_fits_any_words(corpora: dict[str, Path], tmp_path: Path) -> None:
    uq.label(PAGES, output=tmp_path / "ours", raw=True)
    assert LabelSet.load(tmp_path / "ours").spelling is None
    for words in ("plain", "restored"):
        reading = uq.Reading(source=True, words=words)
        sources = uq.ingest(PAGES, tmp_path / f"source-{words}", options=uq.JobOptions(reading=reading))
        uq.detect(sources.path, labels=str(tmp_path / "ours"))
    with pytest.raises(InputError, match="has the text of pages, and --raw compares their source"):
        uq.detect(corpora["restored"], labels=str(tmp_path / "ours"))


def test_texts_of_lists_have_the_words_of_the_set() -> None:
    disguised = TEXT.replace("o", "о")
    for by in ("text", "words"):
        assert hash_text(disguised, by) == hash_text(TEXT, by)
        assert hash_text(disguised, by, "plain") != hash_text(TEXT, by, "plain")
        assert HashList(texts=(TEXT,)).hash_chunks(by, "plain") == hash_text(TEXT, by)


def test_other_tables_of_unicode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = uq.ingest(PAGES, tmp_path / "corpus").path
    Lexicon.build(pa.table({"word": ["a"], "df": [3]}), 9, (0, 1)).write(tmp_path / "lexicon")
    LabelSet.pack(tmp_path / "labels", About(), chunks=hash_text(TEXT, "text"))
    uq.build_filter(corpus, output=tmp_path / "set")
    monkeypatch.setattr(_native, "UNICODE_VERSION", "99.0.0")
    for read, what in (
        (lambda: uq.neardups(corpus), "run unquilt ingest again"),
        (lambda: Lexicon.read(tmp_path / "lexicon"), "build it anew"),
        (lambda: uq.Filter.load(tmp_path / "set"), "build it anew"),
        (lambda: uq.Detector.load(tmp_path / "labels"), "make it anew"),
    ):
        with pytest.raises(InputError, match=rf"with Unicode .*, this unquilt has 99.0.0; {what}"):
            read()
