"""I-Match with the options of docs/deviations.md against the text of the paper (Kołcz, Chowdhury and Alspector, KDD
2004), by an oracle of its own: signatures are sets of words, compared as sets. Which words a randomised lexicon lacks
is drawn, so that oracles have the whole lexicon alone; of the others, what follows for any draw is tested."""

from __future__ import annotations

import json
import math
import re
import shlex
import subprocess
from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from faulty import invoke
from published_rows import options, read_rows, run

pytestmark = pytest.mark.slow
PAPER = "I-Match"
LEXICON = options(PAPER, "the lexicon of another")[0]
TERMS = options(PAPER, "a signature is rejected")[0]
WHOLE = ["--method", "imatch", "--lexicons", "0", "--min-share", "0"]
HIGHER = options(PAPER, "words are filled up")[0]
ASK = options(PAPER, "two documents are near")[0]
LOW, HIGH = 0.2, 0.8
Words = frozenset[str]


def draw(seed: int, number: int = 40) -> list[str]:
    """Texts of common and rare words, and copies with one word more, less, or changed."""
    random = Random(seed)
    words = [f"word{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(300)]
    texts = []
    for at in range(number):
        chosen = [words[min(299, int(random.expovariate(1 / 60)))] for _ in range(random.randint(4, 40))]
        texts.append([*chosen, "abc", f"rare{chr(97 + at % 26)}{chr(97 + at // 26)}"])
    for _ in range(number):
        copy = list(random.choice(texts))
        copy[random.randrange(len(copy))] = random.choice([*words, "xyz"])
        random.shuffle(copy)
        texts.append(copy)
    return [" ".join(text) for text in texts]


def take_words(text: str) -> Words:
    """U: unique words of four characters or more, and with one digit at most."""
    return frozenset(word for word in text.split() if len(word) >= 4 and sum(map(str.isdigit, word)) <= 1)


class Lexicon:
    """Primary words by normalised idf; secondary ones are rarer, those with the least idf first."""

    def __init__(self, texts: list[str]) -> None:
        df = Counter(word for text in texts for word in take_words(text))
        idf = {word: math.log(len(texts) / many) / math.log(len(texts)) for word, many in df.items()}
        self.primary = {word for word, value in idf.items() if LOW <= value <= HIGH}
        self.secondary = sorted((word for word, value in idf.items() if value > HIGH), key=lambda w: (idf[w], w))

    def sign(self, text: str, threshold: int, *, fill: bool = True) -> Words | None:
        """S, filled up with words of the secondary lexicon until it exceeds the threshold; None if it does not."""
        words = take_words(text)
        if len(words) < 5:
            return None
        chosen = {*words & self.primary}
        for word in self.secondary if fill else ():
            if len(chosen) > threshold:
                break
            chosen |= {word} & words
        return frozenset(chosen) if len(chosen) > threshold else None


def pair(signatures: list[Words | None]) -> set[tuple[int, int]]:
    numbered = [(doc, each) for doc, each in enumerate(signatures) if each is not None]
    return {(a, b) for (a, one), (b, other) in combinations(numbered, 2) if one == other}


def close(pairs: set[tuple[int, int]]) -> dict[int, int]:
    lowest: dict[int, int] = {}
    for a, b in sorted(pairs):
        lowest[b] = min(lowest.get(b, b), lowest.get(a, a))
        lowest[a] = lowest.get(a, a)
    return lowest


def rows(texts: list[str]) -> list[dict[str, str]]:
    return [{"id": str(number), "text": text} for number, text in enumerate(texts)]


@pytest.mark.parametrize("threshold", [4, 9])
@pytest.mark.parametrize("fill", [True, False])
def test_signatures(tmp_path: Path, threshold: int, fill: bool) -> None:
    """`--min-terms` one higher than the published threshold, which is exceeded; without a secondary lexicon,
    rejected."""
    found = 0
    for seed in range(3):
        texts = draw(seed)
        lexicon = Lexicon(texts)
        expected = close(pair([lexicon.sign(text, threshold, fill=fill) for text in texts]))
        given = [*WHOLE, HIGHER, str(threshold + 1), *([] if fill else ["--min-df", "4294967296"])]
        made = run(tmp_path, "neardups", rows(texts), *given)
        assert {row["doc"]: row["cluster"] for row in made.clusters.to_pylist()} == expected
        found += len(expected)
    assert found > 10


def build_lexicon(folder: Path, texts: list[str]) -> Path:
    given, lexicon = folder / "other.jsonl", folder / "other.lexicon"
    given.write_text("".join(json.dumps(row) + "\n" for row in rows(texts)))
    assert invoke("lexicon", "build", given, "-o", lexicon, "-q").code == 0
    return lexicon


def test_the_lexicon_of_another_collection(tmp_path: Path) -> None:
    texts, others = draw(1), draw(2, 100)
    lexicon = Lexicon(others)
    path = build_lexicon(tmp_path, others)
    made = run(tmp_path, "neardups", rows(texts), *WHOLE, TERMS, "5", LEXICON, str(path))
    expected = close(pair([lexicon.sign(text, 4) for text in texts]))
    assert {row["doc"]: row["cluster"] for row in made.clusters.to_pylist()} == expected
    assert expected != close(pair([Lexicon(texts).sign(text, 4) for text in texts]))


@pytest.mark.parametrize("lexicons", [0, 10])
def test_direct_matches(tmp_path: Path, lexicons: int) -> None:
    """`filter` answers with every document whose signatures agree in a coordinate, and with none through a chain."""
    texts = draw(3)
    path = build_lexicon(tmp_path, texts)
    pages, prototypes = tmp_path / "other.jsonl", tmp_path / "all.set"
    asked = ["--method", "imatch", "--lexicons", lexicons, "--min-share", "0", LEXICON, path]
    assert invoke("filter", "--build", pages, "-o", prototypes, "-q", *asked).code == 0
    answers = [json.loads(line) for line in invoke("filter", ASK, prototypes, pages).out.splitlines()]
    found = {
        (int(answer["id"]), int(other))
        for answer in answers
        for other in answer.get("prototypes", ())
        if int(answer["id"]) < int(other)
    }
    expected = pair([Lexicon(texts).sign(text, 4) for text in texts])
    if lexicons:
        assert expected < found, "more lexicons find more, and lose nothing"
    else:
        assert found == expected


def test_words_between_white_space(tmp_path: Path) -> None:
    """Texts without what has other characters than letters and digits, made as the page says."""
    random = Random(5)
    texts = [re.sub(" ", lambda _: random.choice([" "] * 20 + [", ", " -"]), text) for text in draw(5)]
    (row,) = [row for row in read_rows() if row[0] == PAPER and row[1].startswith('words are "')]
    command = shlex.split(re.findall(r"`(sed [^`]+)`", row[3])[0])
    made = subprocess.run(command, input="\n".join(texts), capture_output=True, text=True, check=True).stdout
    between = [" ".join(word for word in text.split() if word.isalnum()) for text in texts]
    lexicon = Lexicon(between)
    expected = close(pair([lexicon.sign(text, 4) for text in between]))

    def find(given: list[str]) -> dict[int, int]:
        clusters = run(tmp_path, "neardups", rows(given), *WHOLE, HIGHER, "5").clusters
        return {row["doc"]: row["cluster"] for row in clusters.to_pylist()}

    assert find(made.split("\n")) == expected
    assert find(texts) != expected
