"""The twin of passages: what docs/definitions.md 3.5 defines, said in Python as plainly as can be.

Where sentences end is asked of the package (`tests/text/test_sentences.py` is about that); all that follows from it is
worked out here, cell by cell in the matrix of two documents.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

from twin import sequence

from unquilt import _native

MOST_TIMES = 16
MARGIN = 100
FEW_DOCUMENTS = 20
Cell = tuple[int, int]
Token = frozenset[Hashable]


class Asked(NamedTuple):
    """The parameters."""

    signature: str = "imatch"
    gamma: int = 3
    max_gap: int = 0
    nidf: tuple[float, float] = (0.1, 1.0)
    tau: float = 0.9
    antecedents: int = 10_000
    k: int = 8
    n: int = 4
    max_df: int = 1000
    min_words: int = 15
    refine: bool = True
    spot_stops: int = 0
    all_diagonals: bool = False
    idf_always: bool = False
    sentence_pairs: bool = False

    @property
    def whole(self) -> int:
        return max(1, self.gamma - 1) if self.refine and not self.sentence_pairs else self.gamma


class Text:
    """A document by words and sentences."""

    def __init__(self, text: str) -> None:
        found = _native.words(text)
        self.words = [word for word, _, _ in found]
        self.places = [(begin, end) for _, begin, end in found]
        self.sentences = _native.sentences(text)

    def word_range(self, sentence: int) -> tuple[int, int]:
        begin, end = self.sentences[sentence]
        inside = [number for number, (first, _) in enumerate(self.places) if begin <= first < end]
        return inside[0], inside[-1] + 1

    def sentence_of(self, word: int) -> int:
        ends = [self.word_range(number)[1] for number in range(len(self.sentences))]
        return next(number for number, end in enumerate(ends) if end > word)


def shingle_set(words: Sequence[str], n: int) -> Token:
    if len(words) < n:
        return frozenset([tuple(words)])
    return frozenset(tuple(words[at : at + n]) for at in range(len(words) - n + 1))


def jaccard(one: frozenset[Any], other: frozenset[Any]) -> float:
    return len(one & other) / len(one | other)


def signatures(words: Sequence[str], asked: Asked, df: Mapping[str, int], documents: int) -> Token:
    """The set of signatures of a sentence."""
    if asked.signature == "shingles":
        return shingle_set(words, asked.n)
    if asked.signature == "spotsigs":
        frequent = sorted(df, key=lambda word: (-df[word], word))[: asked.antecedents]
        stops = frequent[: asked.spot_stops]
        behind = [[word for word in words[at + 1 :] if word not in stops][:2] for at in range(len(words))]
        found = zip(words, behind, strict=True)
        return frozenset((word, *chain) for word, chain in found if word in frequent and len(chain) == 2)
    if documents < FEW_DOCUMENTS and not asked.idf_always:
        chosen = frozenset(words)
    else:
        low, high = asked.nidf
        chosen = frozenset(w for w in words if documents ** (1 - high) <= df[w] <= documents ** (1 - low))
    return frozenset([chosen]) if chosen else frozenset()


def pair_up(one: Sequence[int], other: Sequence[int], *, all_: bool) -> list[Cell]:
    """Each with each, or the first with the first, the second with the second; where one has fewer, again from the
    first on."""
    if all_:
        return list(product(one, other))
    one, other = one[:MOST_TIMES], other[:MOST_TIMES]
    return [(one[at % len(one)], other[at % len(other)]) for at in range(max(len(one), len(other)))]


Places = dict[int, list[int]]


def window_places(units: Sequence[Sequence[Hashable]], width: int) -> dict[Hashable, Places]:
    """Each window, the documents that have it, and where."""
    found: dict[Hashable, Places] = defaultdict(lambda: defaultdict(list))
    for doc, sequence_ in enumerate(units):
        for at in range(len(sequence_) - width + 1):
            window = tuple(sequence_[at : at + width])
            if all(window):
                found[window][doc].append(at)
    return found


class Seeds:
    """Cells of the matrices of all pairs that belong to shared windows, and how many documents share each window."""

    def __init__(self, *, all_: bool) -> None:
        self.all_ = all_
        self.cells: dict[Cell, dict[Cell, int]] = defaultdict(dict)

    def add(self, a: int, b: int, places: Iterable[Cell], width: int, documents: int) -> None:
        for i, j in places:
            for step in range(width):
                cell = (i + step, j + step)
                self.cells[a, b][cell] = min(documents, self.cells[a, b].get(cell, documents))

    def add_window(self, places: Places, width: int) -> None:
        for a, b in combinations(sorted(places), 2):
            self.add(a, b, pair_up(places[a], places[b], all_=self.all_), width, len(places))


class Diagonal(NamedTuple):
    i: int
    j: int
    units: int
    documents: int


def diagonals(seeds: Mapping[Cell, int], others: set[Cell]) -> list[Diagonal]:
    """The longest runs of cells one behind the other, with at least one seed each."""
    cells = set(seeds) | others
    found = []
    for i, j in cells:
        if (i - 1, j - 1) in cells:
            continue
        run = [(i, j)]
        while (run[-1][0] + 1, run[-1][1] + 1) in cells:
            run.append((run[-1][0] + 1, run[-1][1] + 1))
        documents = [seeds[cell] for cell in run if cell in seeds]
        if documents:
            found.append(Diagonal(i, j, len(run), min(documents)))
    return found


class Chain(NamedTuple):
    a: tuple[int, int]
    b: tuple[int, int]
    matched: int
    documents: int
    last: Cell


def chain(found: Sequence[Diagonal], gap: int) -> list[Chain]:
    """Diagonals one behind the other, at most a gap apart; of chains with one end in b, the last counts."""
    chains: list[Chain] = []
    ends: dict[int, int] = {}
    for i, j, units, documents in sorted(found):
        near = []
        for number in ends.values():
            each = chains[number]
            apart = abs(each.a[1] - i), abs(each.b[1] - j)
            if max(apart) <= gap and i > each.last[0] and j > each.last[1]:
                near.append((sum(apart), each.b[1], number))
        if near:
            number = min(near)[2]
            each = chains[number]
            del ends[each.b[1]]
            overlap = max(0, each.a[1] - i, each.b[1] - j)
            chains[number] = Chain(
                (each.a[0], max(each.a[1], i + units)),
                (each.b[0], max(each.b[1], j + units)),
                each.matched + max(0, units - overlap),
                min(each.documents, documents),
                (i, j),
            )
        else:
            number = len(chains)
            chains.append(Chain((i, i + units), (j, j + units), units, documents, (i, j)))
        ends[chains[number].b[1]] = number
    return chains


def find_sentences(texts: Sequence[Text], asked: Asked) -> dict[Cell, list[Chain]]:
    """Chains of sentences, by pair of documents."""
    df = Counter(word for text in texts for word in set(text.words))
    tokens = [
        [signatures(text.words[slice(*text.word_range(s))], asked, df, len(texts)) for s in range(len(text.sentences))]
        for text in texts
    ]
    documents = Counter(token for each in tokens for token in set(each))
    stop = {token for token, count in documents.items() if count > asked.max_df}
    alike = asked.signature in ("shingles", "spotsigs")
    width = 1 if asked.max_gap or alike else asked.whole
    seeds = Seeds(all_=asked.all_diagonals)
    windows = {window: places for window, places in window_places(tokens, width).items() if not set(window) <= stop}  # type: ignore[call-overload]
    for places in windows.values():
        seeds.add_window(places, width)
    if alike:
        add_alike(seeds, windows, documents, asked)
    found = {}
    for (a, b), cells in seeds.cells.items():
        times = Counter(tokens[a])
        others = {
            (i, j)
            for i, one in enumerate(tokens[a])
            for j, other in enumerate(tokens[b])
            if one and one == other and (one in stop or times[one] > 1)
        }
        found[a, b] = chain(diagonals(cells, others), asked.max_gap)
    return found


def add_alike(seeds: Seeds, windows: Mapping[Any, Places], tokens: Iterable[Token], asked: Asked) -> None:
    """Seeds of sentences that are alike and not the same."""
    sentences = Counter(signature for token in tokens for signature in token)
    for (one,), (other,) in combinations(windows, 2):
        few = any(sentences[signature] <= asked.max_df for signature in one & other)
        if one != other and few and jaccard(one, other) >= asked.tau:
            first, second = windows[one,], windows[other,]
            for a in first:
                for b in second:
                    if a != b:
                        one_, two = (first[a], second[b]) if a < b else (second[b], first[a])
                        cells = pair_up(one_, two, all_=asked.all_diagonals)
                        seeds.add(min(a, b), max(a, b), cells, 1, len(first.keys() | second.keys()))


def find_words(texts: Sequence[Text], asked: Asked) -> dict[Cell, list[Chain]]:
    """Chains of grams, by pair of documents."""
    seeds = Seeds(all_=asked.all_diagonals)
    for places in window_places([text.words for text in texts], asked.k).values():
        if len(places) <= asked.max_df:
            seeds.add_window(places, asked.k)
    return {pair: chain(diagonals(cells, set()), asked.max_gap) for pair, cells in seeds.cells.items()}


class Passage(NamedTuple):
    a: int
    b: int
    a_begin: int
    b_begin: int
    a_end: int
    b_end: int
    a_sentence: int
    b_sentence: int
    sentences: int
    words: int
    similarity: float
    documents: int


class Located(NamedTuple):
    """A passage by words of both documents, and by code points."""

    a: tuple[int, int]
    b: tuple[int, int]
    a_points: tuple[int, int]
    b_points: tuple[int, int]
    a_sentence: int
    b_sentence: int
    matched: int
    more: tuple[bool, bool]
    documents: int


def locate(a: Text, b: Text, found: Chain, asked: Asked) -> Located:
    """The words and places of a chain, its borders moved."""
    by_words = asked.signature == "grams"

    def span(text: Text, units: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
        first, last = units[0], units[1] - 1
        if by_words:
            return units, (text.places[first][0], text.places[last][1])
        words = (text.word_range(first)[0], text.word_range(last)[1])
        return words, (text.sentences[first][0], text.sentences[last][1])

    (in_a, a_points), (in_b, b_points) = span(a, found.a), span(b, found.b)
    matched = a.sentence_of(in_a[1] - 1) - a.sentence_of(in_a[0]) + 1 if by_words else found.matched
    sentences = a.sentence_of(in_a[0]), b.sentence_of(in_b[0])
    before = behind = 0
    if asked.refine:
        while before < min(MARGIN, in_a[0], in_b[0]) and a.words[in_a[0] - before - 1] == b.words[in_b[0] - before - 1]:
            before += 1
        most = min(MARGIN, len(a.words) - in_a[1], len(b.words) - in_b[1])
        while behind < most and a.words[in_a[1] + behind] == b.words[in_b[1] + behind]:
            behind += 1
    moved = [(words[0] - before, words[1] + behind) for words in (in_a, in_b)]
    points = [
        (
            text.places[words[0]][0] if before else borders[0],
            text.places[words[1] - 1][1] if behind else borders[1],
        )
        for text, words, borders in ((a, moved[0], a_points), (b, moved[1], b_points))
    ]
    more = (before >= asked.n and not by_words, behind >= asked.n and not by_words)
    return Located(moved[0], moved[1], points[0], points[1], *sentences, matched, more, found.documents)


def merge(found: Sequence[Located]) -> list[Located]:
    """Passages that overlap, or touch, on one diagonal are one."""
    merged: list[Located] = []
    for next_ in sorted(found, key=lambda each: ((each.a[0] - each.b[0]) % 2**64, each.a)):
        last = merged[-1] if merged else None
        straight = last and last.a[0] - last.b[0] == last.a[1] - last.b[1] == next_.a[0] - next_.b[0]
        if last is None or not straight or next_.a[0] > last.a[1]:
            merged.append(next_)
            continue
        further = next_.a[1] > last.a[1]
        merged[-1] = last._replace(
            a=(last.a[0], max(last.a[1], next_.a[1])),
            b=(last.b[0], next_.b[1] if further else last.b[1]),
            a_points=(last.a_points[0], (next_ if further else last).a_points[1]),
            b_points=(last.b_points[0], (next_ if further else last).b_points[1]),
            matched=last.matched + (next_.matched if next_.b_sentence >= last.b_sentence + last.matched else 0),
            more=(last.more[0], next_.more[1]),
            documents=min(last.documents, next_.documents),
        )
    return merged


def cells_of(found: Chain) -> list[Chain]:
    """Each pair of sentences of a diagonal."""
    (i, end), (j, _) = found.a, found.b
    return [found._replace(a=(i + at, i + at + 1), b=(j + at, j + at + 1), matched=1) for at in range(end - i)]


def passages(texts: Sequence[str], asked: Asked) -> list[Passage]:
    """All passages, in order."""
    read = [Text(text) for text in texts]
    by_words = asked.signature == "grams"
    chains = find_words(read, asked) if by_words else find_sentences(read, asked)
    found = []
    for (a, b), each in chains.items():
        enough = asked.gamma if by_words else asked.whole
        one, other = read[a], read[b]
        whole = [chain_ for chain_ in each if chain_.matched >= enough]
        if asked.sentence_pairs:
            alone = asked._replace(refine=False, gamma=1)
            located_ = [locate(one, other, cell, alone) for chain_ in whole for cell in cells_of(chain_)]
        else:
            located_ = merge([locate(one, other, chain_, asked) for chain_ in whole])
        for located in located_:
            words = located.a[1] - located.a[0]
            sentences = located.matched + sum(located.more)
            least = 0 if by_words or asked.sentence_pairs else asked.gamma
            if words < asked.min_words or sentences < least:
                continue
            spans = one.words[slice(*located.a)], other.words[slice(*located.b)]
            similarity = jaccard(*(shingle_set(span, asked.n) for span in spans))
            places = (located.a_points[0], located.b_points[0], located.a_points[1], located.b_points[1])
            numbers = (located.a_sentence, located.b_sentence, sentences, words)
            found.append(Passage(a, b, *places, *numbers, similarity, located.documents))
    return sorted(found)


def sentence_words(text: str) -> list[tuple[str, ...]]:
    """The words of each sentence."""
    return [tuple(sequence(text[begin:end])) for begin, end in _native.sentences(text)]
