"""`passages --as-published` against the text of the paper (Zhang, Zhang, Yu and Huang, SIGIR 2010), by an oracle of its
own: the matrix of two documents has a cell for each pair of sentences with equal signatures; a passage is a diagonal of
more than three cells. Nothing is paired in order, nothing is left out for being common or short.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random

import pyarrow as pa
from faulty import invoke

import unquilt
from unquilt.analyses.passages import PUBLISHED
from unquilt.jobs.options import JobOptions
from unquilt.settings import Settings

Found = set[tuple[int, int, int, int, int]]
"""Two documents, the first sentences of a passage in both, and how many sentences it has."""


def draw(random: Random) -> list[str]:
    """Documents of few different sentences, so that passages repeat themselves in both."""
    nouns = ["oak", "elm", "ash", "fir", "yew", "bay", "fig", "box", "ivy", "reed", "moss", "fern", "the", "a"]
    stock = [" ".join(["the", *random.sample(nouns, random.randint(2, 4))]) for _ in range(24)]
    texts = []
    for _ in range(9):
        begin = random.randrange(18)
        chosen = stock[begin : begin + 6] * random.choice([1, 2, 3])
        texts.append(" ".join(f"{sentence.capitalize()}." for sentence in chosen))
    return texts


def sign(texts: list[str]) -> list[list[frozenset[str]]]:
    """I-Match over sentences: the words whose idf log(N/df) / log(N) is in [0.1, 1]."""
    sentences = [[re.findall(r"[a-z]+", part.lower()) for part in text.split(".") if part.strip()] for text in texts]
    df = Counter(word for each in sentences for word in {word for sentence in each for word in sentence})
    number = len(texts)
    told = {word for word, count in df.items() if math.log(number / count) / math.log(number) >= 0.1}
    return [[frozenset(told & set(sentence)) for sentence in each] for each in sentences]


def find(signed: list[list[frozenset[str]]]) -> Found:
    found: Found = set()
    for a, b in combinations(range(len(signed)), 2):
        cells = {(i, j) for i, one in enumerate(signed[a]) for j, other in enumerate(signed[b]) if one and one == other}
        for i, j in cells:
            if (i - 1, j - 1) not in cells:
                length = 1
                while (i + length, j + length) in cells:
                    length += 1
                if length > 3:
                    found.add((a, b, i, j, length))
    return found


def test_as_published(settings: Settings) -> None:
    several = 0
    for number in range(12):
        texts = draw(Random(number))
        table = pa.table({"id": [str(n) for n in range(len(texts))], "text": texts})
        options = JobOptions(settings=settings)
        run = unquilt.passages(table, options=options, **PUBLISHED, idf_always=True)
        names = ("a", "b", "a_sentence", "b_sentence", "sentences")
        assert {tuple(row[name] for name in names) for row in run.passages.to_pylist()} == find(sign(texts)), number
        several += run.passages.num_rows
    assert several > 3


def test_three_times_in_one_and_twice_in_the_other_are_six(tmp_path: Path) -> None:
    """Each beside each. By default, they are paired in their order."""
    passage = "One of the oaks fell. Two elms stood by. Three ashes burned. Four firs grew."
    texts = [f"{passage} And then. {passage} Or else. {passage}", f"{passage} So what. {passage}"]
    (tmp_path / "pages.jsonl").write_text(
        "".join(f'{{"id": "{n}", "text": "{text}"}}\n' for n, text in enumerate(texts))
    )
    for asked, number in ((["--as-published"], 6), (["--foreign", "none", "--no-refine", "--min-words", "1"], 3)):
        place = tmp_path / f"run{number}"
        assert invoke("passages", tmp_path / "pages.jsonl", "-o", place, "-q", *asked).code == 0
        assert unquilt.Run.read(place).passages.num_rows == number
    refused = invoke("passages", tmp_path / "pages.jsonl", "-o", tmp_path / "x", "--as-published", "--gamma", "2")
    assert refused.code == 2
    assert "--as-published (which means --gamma 4) and --gamma 2 contradict each other" in refused.err
