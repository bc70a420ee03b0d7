"""`passages --as-published` against the text of the paper (Zhang, Zhang, Yu and Huang, SIGIR 2010), by an oracle of its
own: the matrix of two documents has a cell for each pair of sentences whose signatures have a Jaccard coefficient of τ
or more; a passage is a diagonal of more than three cells. Nothing is paired in order, nothing is left out for being
common or short. Each row of docs/deviations.md names what makes the difference: without its options, others are
found."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from faulty import invoke
from published_rows import options, run

import unquilt
from unquilt.analyses.passages import PUBLISHED
from unquilt.jobs.options import JobOptions
from unquilt.settings import Settings

pytestmark = pytest.mark.slow
PAPER = "Passages"
IDF = options(PAPER, "idf in any corpus")
SPOTS = options(PAPER, "SpotSigs: behind")
ANTECEDENTS = options(PAPER, "antecedents are common words")
GAMMA, TAU, LEAST_IDF, N = 3, 0.9, 0.1, 4
Found = set[tuple[int, int, int, int, int]]
"""Two documents, the first sentences of a passage in both, and how many sentences it has."""
Signatures = frozenset[tuple[str, ...]]


def draw(random: Random, *, short: bool = False) -> list[str]:
    """Documents of few different sentences, so that passages repeat themselves in both; some end in a word more."""
    nouns = [
        first + last for first in ("oak", "elm", "ash", "fir", "yew", "bay", "fig") for last in ("es", "ery", "ish")
    ]
    stock = [" ".join(["the", *random.sample(nouns, 2 if short else random.randint(2, 4))]) for _ in range(16)]
    long = [" ".join(random.choice(nouns) for _ in range(30)) for _ in range(8)]
    if not short:
        stock = [sentence for three in zip(stock[::2], stock[1::2], long, strict=True) for sentence in three]
    texts = []
    for _ in range(9):
        begin = random.randrange(6)
        chosen = stock[begin : begin + random.randint(5, 8)] * random.choice([1, 2, 3])
        changed = [f"{each} dew" if len(each) > 90 and random.random() < 0.3 else each for each in chosen]
        changed = [each.removeprefix("the ") if random.random() < 0.1 else each for each in changed]
        texts.append(" ".join(f"{sentence.capitalize()}." for sentence in changed))
    return texts + [f"The {chr(98 + number) * 4} grows." for number in range(10)]


def read_sentences(texts: list[str]) -> list[list[list[str]]]:
    return [[re.findall(r"[a-z]+", part.lower()) for part in text.split(".") if part.strip()] for text in texts]


def sign(texts: list[str], how: str, *, stops: int = 0, antecedents: int = 10_000) -> list[list[Signatures]]:
    """The signatures of each sentence of each document (section 4.1)."""
    sentences = read_sentences(texts)
    df = Counter(word for each in sentences for word in {word for sentence in each for word in sentence})
    frequent = sorted(df, key=lambda word: (-df[word], word))
    number = len(texts)

    def imatch(words: list[str]) -> Signatures:
        told = {word for word in words if math.log(number / df[word]) / math.log(number) >= LEAST_IDF}
        return frozenset([tuple(sorted(told))] if told else [])

    def shingles(words: list[str]) -> Signatures:
        return frozenset(tuple(words[at : at + N]) for at in range(max(1, len(words) - N + 1)))

    def spotsigs(words: list[str]) -> Signatures:
        found = set()
        for at, word in enumerate(words):
            chain = [other for other in words[at + 1 :] if other not in frequent[:stops]][:2]
            if word in frequent[:antecedents] and len(chain) == 2:
                found.add((word, *chain))
        return frozenset(found)

    make = {"imatch": imatch, "shingles": shingles, "spotsigs": spotsigs}[how]
    return [[make(words) for words in each] for each in sentences]


def is_alike(one: Signatures, other: Signatures) -> bool:
    return bool(one and other) and len(one & other) / len(one | other) >= TAU


def find(signed: list[list[Signatures]]) -> Found:
    found: Found = set()
    for a, b in combinations(range(len(signed)), 2):
        cells = {(i, j) for i, one in enumerate(signed[a]) for j, other in enumerate(signed[b]) if is_alike(one, other)}
        for i, j in cells:
            if (i - 1, j - 1) not in cells:
                length = 1
                while (i + length, j + length) in cells:
                    length += 1
                if length > GAMMA:
                    found.add((a, b, i, j, length))
    return found


def read(made: unquilt.Run) -> Found:
    names = ("a", "b", "a_sentence", "b_sentence", "sentences")
    return {tuple(row[name] for name in names) for row in made.passages.to_pylist()}


def test_options_as_published_give_what_the_paper_defines(settings: Settings) -> None:
    several = 0
    for number in range(12):
        texts = draw(Random(number))
        table = pa.table({"id": [str(n) for n in range(len(texts))], "text": texts})
        made = unquilt.passages(table, options=JobOptions(settings=settings), **PUBLISHED, idf_always=True)
        assert read(made) == find(sign(texts, "imatch")), number
        several += made.passages.num_rows
    assert several > 3


def list_rows(texts: list[str]) -> list[dict[str, str]]:
    """All of one site, so that only `--foreign none` compares them."""
    return [{"url": f"http://a.example/{number}", "text": text} for number, text in enumerate(texts)]


OTHERS = {
    "shingles": (["--signature", "shingles"], {}),
    "spotsigs": (["--signature", "spotsigs"], {}),
    "with stop words": (["--signature", "spotsigs", *(SPOTS[0], "3")], {"stops": 3}),
    "with few antecedents": (["--signature", "spotsigs", *(ANTECEDENTS[0], "5")], {"antecedents": 5}),
}


@pytest.mark.parametrize("case", OTHERS)
def test_other_signatures(tmp_path: Path, case: str) -> None:
    """Those that the paper compares, on all pairs of sentences with τ = 0.9; γ = 3."""
    given, shaped = OTHERS[case]
    found = 0
    for number in range(6):
        texts = draw(Random(number))
        expected = find(sign(texts, given[1], **shaped))
        everything = [word for name, words in ROWS.items() for word in words if name not in ("signature", "idf")]
        assert read(run(tmp_path, "passages", list_rows(texts), *everything, *given)) == expected, number
        found += len(expected)
    assert found > 5


ROWS = {
    "signature": options(PAPER, "sentences are compared, by"),
    "gamma": options(PAPER, "a diagonal has"),
    "whole sentences": options(PAPER, "passages are whole"),
    "diagonals": options(PAPER, "all diagonals"),
    "every sentence": options(PAPER, "every sentence counts"),
    "any length": options(PAPER, "passages of any length"),
    "all pairs": options(PAPER, "all pairs of documents"),
    "idf": IDF,
    "wherever": options(PAPER, "sentences that are alike"),
}


def test_the_rows_together_are_the_paper(tmp_path: Path) -> None:
    for number in range(6):
        texts = draw(Random(number))
        together = [word for words in ROWS.values() for word in words]
        assert read(run(tmp_path, "passages", list_rows(texts), *together)) == find(sign(texts, "imatch")), number


def test_pairs_of_sentences(tmp_path: Path) -> None:
    """The output of the second step: the cells of the matrix."""
    for number in range(6):
        texts = draw(Random(number))
        signed = sign(texts, "imatch")
        expected = {
            (a, b, i, j, 1)
            for a, b in combinations(range(len(texts)), 2)
            for i, one in enumerate(signed[a])
            for j, other in enumerate(signed[b])
            if is_alike(one, other)
        }
        others = [word for name, words in ROWS.items() if name not in ("gamma", "whole sentences") for word in words]
        given = [*options(PAPER, "the second of three"), *others]
        assert read(run(tmp_path, "passages", list_rows(texts), *given)) == expected, number
        assert expected


@pytest.mark.parametrize("row", ["signature", "gamma", "diagonals", "any length", "all pairs", "idf"])
def test_a_row_makes_a_difference(tmp_path: Path, row: str) -> None:
    """`--no-refine` goes with γ; what is common is another test, as it takes a thousand documents."""
    others = [word for name, words in ROWS.items() if name not in (row, "whole sentences") for word in words]
    if row == "signature":
        others = [word for word in others if word not in IDF]
    for number in range(12):
        texts = draw(Random(number), short=row == "any length")
        if read(run(tmp_path, "passages", list_rows(texts), *others)) != find(sign(texts, "imatch")):
            return
    raise AssertionError(f"{row}: nothing changes without {ROWS[row]}")


def test_what_is_common(tmp_path: Path) -> None:
    """A passage of 1,002 documents is one of all pairs of these; by default, of none. Here sentences are alike, too."""
    passage = "One of the old oaks fell. Two tall elms stood by. Three ashes burned at night. Four young firs grew."
    texts = [f"{passage} Number {'x' * number}." for number in range(1002)]
    everything = [word for name, words in ROWS.items() for word in words if name != "every sentence"]
    bounded = [word for word in everything if word not in (*ROWS["wherever"], *IDF)]
    for signature in ("imatch", "shingles"):
        given = [word for word in bounded if word not in ROWS["signature"]]
        asked = [*given, "--signature", signature, "--between", "a", "b"]
        asked += ["--nidf", "0:1"] if signature == "imatch" else []
        rows = [{"id": f"{'b' if number else 'a'}{number}", "text": text} for number, text in enumerate(texts)]
        assert read(run(tmp_path, "passages", rows, *asked)) == set()
        made = read(run(tmp_path, "passages", rows, *asked, *ROWS["every sentence"]))
        assert made == {(0, other, 0, 0, 4) for other in range(1, 1002)}


def test_three_times_in_one_and_twice_in_the_other_are_six(tmp_path: Path) -> None:
    """Each beside each. By default, they are paired in their order."""
    passage = "One of the oaks fell. Two elms stood by. Three ashes burned. Four firs grew."
    texts = [f"{passage} And then. {passage} Or else. {passage}", f"{passage} So what. {passage}"]
    rows = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
    usual = ["--signature", "imatch", "--foreign", "none", "--no-refine", "--min-words", "1"]
    for asked, number in ((["--as-published"], 6), (usual, 3)):
        assert run(tmp_path, "passages", rows, *asked).passages.num_rows == number
    pages = next(tmp_path.glob("*.jsonl"))
    refused = invoke("passages", pages, "-o", tmp_path / "x", "--as-published", "--gamma", "2")
    assert refused.code == 2
    assert "--as-published (which means --gamma 4) and --gamma 2 contradict each other" in refused.err
