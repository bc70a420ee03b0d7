"""Alignment of two reworded texts by its definition (docs/definitions.md 3.6): lists and dictionaries, nothing kept."""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate, combinations, pairwise
from math import ceil, exp, floor, frexp, log
from pathlib import Path

from unquilt import words
from unquilt._native import stems as stem_prints

UNIT = 2**16
LEAST = 1e-4
WINDOW, STEP, TRIES = 60, 30, 40
PRIOR, OWN, WORD = 400, 0.6, 4
TABLE = Path(__file__).parents[1] / "native/kernels/src/alignment/common_stems.txt"
LINES = [line.split(" ") for line in TABLE.read_text(encoding="utf-8").splitlines()]
LANGUAGES = [dict(zip(line[1::2], map(int, line[2::2]), strict=True)) for line in LINES]
STOPPED = re.compile(r"[\n\r。！？．｡…]|[.!?][\"'”’)\]»]*\s")


def fixed(nats):
    return floor(nats * UNIT + 0.5)


def read(text):
    """Stems, places, and before which words a sentence ends."""
    found = words(text)
    ends = [0, *(end for _, _, end in found)]
    begins = [begin for _, begin, _ in found]
    breaks = [at == 0 or bool(STOPPED.search(text[ends[at] : begin])) for at, begin in enumerate(begins)]
    return [word[:5] for word, _, _ in found], [(begin, end) for _, begin, end in found], [*breaks, True]


def language_of(text):
    """The line of the table in which words have the greatest shares, if a tenth have any; else most words' script."""
    stems, places, _ = read(text)
    votes = [sum(line.get(stem, 0) for stem in stems) for line in LANGUAGES]
    best = votes.index(max(votes))
    if 10 * sum(stem in LANGUAGES[best] for stem in stems) >= len(stems):
        return best
    blocks = Counter(ord(text[begin]) >> 8 for begin, _ in places)
    return 256 + min(block for block, times in blocks.items() if times == max(blocks.values()))


def rates_of(texts, least_df=1):
    """The highest of a stem's shares of all words and of those of each language, with 100,000 words added to each: of a
    language, those that its table was made of. Stems in fewer documents are not counted."""
    holders = Counter(stem for text in texts for stem in set(read(text)[0]))
    counts = {"all": Counter()}
    sizes = Counter()
    for text in texts:
        stems, language = read(text)[0], language_of(text)
        if language not in counts:
            counts[language] = Counter(LANGUAGES[language] if language < len(LANGUAGES) else {})
        for each in ("all", language):
            counts[each].update(stem for stem in stems if holders[stem] >= least_df)
            sizes[each] += len(stems)
    rates = Counter()
    for language, known in counts.items():
        for stem, count in known.items():
            rate = (count + 0.5) / (sizes[language] + 100_000)
            rates[stem] = max(rates[stem], floor(rate * 2**32) / 2**32)
    return dict(rates)


def windows_of(stems):
    last = max(0, ceil((len(stems) - WINDOW) / STEP))
    return [set(stems[STEP * i : STEP * i + WINDOW]) for i in range(last + 1)]


def weight_of(rate):
    """What a stem weighs that two windows share."""
    chance = min(1 - 1e-3, max(1e-6, 1 - exp(-rounded(WINDOW * rate))))
    return fixed(min(WORD, max(0, -log(2 * chance))))


def seeds_of(a, b, rate):
    in_a, in_b = Counter(a), Counter(b)
    weights = {}
    for stem in in_a.keys() & in_b.keys():
        often = rate(stem) + 0.5 * min(in_a[stem] / (len(a) + PRIOR), in_b[stem] / (len(b) + PRIOR))
        weights[stem] = enough if (enough := weight_of(often)) >= UNIT else 0
    scored = []
    for i, one in enumerate(windows_of(a)):
        for j, other in enumerate(windows_of(b)):
            score = sum(weights[stem] for stem in one & other)
            if score >= fixed(16):
                scored.append((-score, STEP * i, STEP * j))
    return [(i, min(i + WINDOW, len(a)), j, min(j + WINDOW, len(b))) for _, i, j in sorted(scored)]


def segment(scores):
    """The segment of greatest sum: the first end, then the last begin."""
    sums = [0, *accumulate(scores)]
    lowest = list(accumulate(sums, min))
    gains = [each - low for each, low in zip(sums, lowest, strict=True)]
    end = gains.index(max(gains))
    begin = max(i for i in range(end + 1) if sums[i] == lowest[end])
    return begin, end, gains[end]


def rounded(x):
    """To four bits behind the first; at least 2^-14, and below 8 by as much."""
    mantissa, exponent = frexp(x)
    return min(max(floor(mantissa * 32 + 0.5) / 32 * 2.0**exponent, 2**-14), 7.75)


def turn(text, own, other, against, q, weight, reach, least, rate, barred):
    """The best segment of `text` against an interval of `other`, its score, and the new q."""
    inside, length = Counter(other[against[0] : against[1]]), against[1] - against[0]
    there, here = Counter(other), Counter(text)
    here_inside = Counter(text[own[0] : own[1]])

    def chance(stem):
        out = (there[stem] - inside[stem]) / (len(other) - length + PRIOR)
        own_out = weight * (here[stem] - here_inside[stem]) / (len(text) - (own[1] - own[0]) + PRIOR)
        return min(1 - 1e-3, max(1e-6, 1 - exp(-rounded(length * (rate(stem) + max(out, own_out))))))

    q = floor(q * 64 + 0.5) / 64

    def score(at):
        if at in barred:
            return fixed(-50)
        if not inside[text[at]]:
            return fixed(log(1 - q))
        return fixed(min(WORD, log(q / chance(text[at]) + 1 - q)))

    reach = max(reach, own[1] - own[0])
    low, high = max(0, own[0] - reach), min(len(text), own[1] + reach)
    begin, end, best = segment([score(at) for at in range(low, high)])
    if end - begin < 5:
        return None
    taken = text[low + begin : low + end]
    found = sum(inside[stem] > 0 for stem in taken) / len(taken)
    by_chance = sum(floor(chance(stem) * 2**32) for stem in taken) / 2**32 / len(taken)
    return (low + begin, low + end), best, min(0.95, max(least, (found - by_chance) / (1 - by_chance)))


def fit(a, b, seed, barred, weight, reach, least_a, least_b, rate, promises=lambda x, y: True):
    """The fit, if there is one, and the greatest score on the way."""
    x, y = seed[:2], seed[2:]
    qa = qb = 0.5
    grows = True
    greatest = 0
    for round_ in range(1, 13):
        margin, own = (30, weight) if grows else (0, OWN)

        def widen(interval, length, margin=margin):
            return max(0, interval[0] - margin), min(length, interval[1] + margin)

        first = turn(a, x, b, widen(y, len(b)), qa, own, reach, least_a, rate, barred)
        second = first and turn(b, y, a, widen(first[0], len(a)), qb, own, reach, least_b, rate, ())
        if not second:
            return None, greatest
        size = x[1] - x[0] + y[1] - y[0]
        same = (x, y) == (first[0], second[0])
        (x, score_a, qa), (y, score_b, qb) = first, second
        greatest = max(greatest, min(score_a, score_b))
        if grows:
            small = x[1] - x[0] + y[1] - y[0] <= size * 1.02 + 2
            grows = not ((small and round_ > 1) or round_ >= 9)
            if not grows and not promises(x, y):
                return None, greatest
        elif same:
            break
    return (x, y, min(score_a, score_b), qa, qb), greatest


def length(interval):
    return interval[1] - interval[0]


def overlap(one, other):
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def best_fit(a, b, seed, barred, rate, both_ways):
    def tried(*manner, **promises):
        found, greatest = fit(a, b, seed, barred, *manner, rate, **promises)
        return found if found and found[2] >= fixed(20) else None, greatest

    plain, greatest = tried(OWN, 150, 0.3, 0.3)
    if greatest < fixed(8):
        return None
    if plain and min(length(plain[0]), length(plain[1])) > 100:
        return plain

    def sums_up(side, at):
        short, long = length(at[side]), length(at[1 - side])
        return long > 3 * short and short > 1.2 * (length(plain[side]) if plain else 0)

    sides = range(1 + both_ways)
    for side, rates in list(enumerate([(0.3, 0.1), (0.1, 0.3)]))[: len(sides)]:
        found, _ = tried(0, 400, *rates, promises=lambda *at: any(sums_up(side, at) for side in sides))
        if found and sums_up(side, found):
            return found
    return plain


def sequences(a, b, x, y):
    inside = Counter(a[x[0] : x[1]]) + Counter(b[y[0] : y[1]])
    everywhere = Counter(a) + Counter(b)
    shared = set(pairwise(a[x[0] : x[1]])) & set(pairwise(b[y[0] : y[1]]))
    most = 3 + (len(a) + len(b)) // 20_000
    return sum(min(everywhere[stem] - inside[stem] for stem in two) <= most for two in shared)


def whole(x, y, a, b, both_ways):
    if not both_ways and length(y) > 3 * length(x) and length(y) >= 0.15 * len(b):
        return x, (0, len(b))
    return x, y


def fits_of(a, b, rate, both_ways):
    found, blocked, barred = [], [], set()
    failures = 0
    tries = TRIES + (len(windows_of(a)) + len(windows_of(b))) // 16
    for seed in seeds_of(a, b, rate):
        x, y = seed[:2], seed[2:]
        free = sum(at not in barred for at in range(*x))
        known = any(10 * overlap(x, p) > 3 * length(x) and 10 * overlap(y, q) > 3 * length(y) for p, q in blocked)
        if 2 * free < length(x) or known:
            continue
        if tries == 0:
            break
        best = best_fit(a, b, seed, barred, rate, both_ways)
        shared = sequences(a, b, *best[:2]) if best else 0
        if shared >= 3 and best[2] >= fixed(30 - shared):
            failures = 0
            blocked.append(best[:2])
            barred |= set(range(*best[0]))
            found.append((*whole(*best[:2], a, b, both_ways), *best[2:]))
        else:
            failures += 1
            tries -= 1
            if failures == 3 + len(found):
                break
            blocked.append((x, y))
    return found


def join(fits):
    joined = []
    for x, y, score, qa, qb in sorted(fits, key=lambda each: each[:2]):
        for at, (p, q, other, ra, rb) in enumerate(joined):
            gap = 300 if min(qb, rb) < 0.7 else 40
            if x[0] - p[1] <= 40 and max(y[0], q[0]) - min(y[1], q[1]) <= gap:
                hull = (min(x[0], p[0]), max(x[1], p[1])), (min(y[0], q[0]), max(y[1], q[1]))
                joined[at] = (*hull, score + other, min(qa, ra), min(qb, rb))
                break
        else:
            joined.append((x, y, score, qa, qb))
    return joined


def snap(interval, breaks):
    def nearest(at):
        places = [place for by in range(8) for place in (at - by, at + by)]
        return next((place for place in places if 0 <= place < len(breaks) and breaks[place]), at)

    moved = nearest(interval[0]), nearest(interval[1])
    return moved if moved[0] < moved[1] else interval


def boilerplate_of(texts, limit):
    """Five stems in a row that more documents have."""
    stems = [read(text)[0] for text in texts]
    holders = Counter(gram for each in stems for gram in set(zip(*(each[at:] for at in range(5)), strict=False)))
    return {gram for gram, documents in holders.items() if documents > limit}


def left_of(stems, boilerplate):
    """The numbers of words that are no boilerplate."""
    begins = [at for at in range(len(stems)) if tuple(stems[at : at + 5]) in boilerplate]
    covered = {at + by for at in begins for by in range(5)}
    return [at for at in range(len(stems)) if at not in covered]


def is_long(interval, left, places):
    """Whether it has 50 words or 150 characters, without boilerplate."""
    own = [at for at in left if interval[0] <= at < interval[1]]
    begins = [at for at in own if at - 1 not in own]
    ends = [at for at in own if at + 1 not in own]
    characters = sum(places[end][1] - places[begin][0] for begin, end in zip(begins, ends, strict=True))
    return len(own) >= 50 or characters >= 150


def align(text_a, text_b, rates=None, *, both_ways=False, boilerplate=()):
    """(a_begin, a_end, b_begin, b_end, score, rate of a, rate of b) of each passage."""
    (a, places_a, breaks_a), (b, places_b, breaks_b) = read(text_a), read(text_b)
    left_a, left_b = left_of(a, boilerplate), left_of(b, boilerplate)
    a, b = [a[at] for at in left_a], [b[at] for at in left_b]
    known = rates or {}
    found = []
    for x, y, score, qa, qb in join(fits_of(a, b, lambda stem: max(LEAST, known.get(stem, 0)), both_ways)):
        x, y = (left_a[x[0]], left_a[x[1] - 1] + 1), (left_b[y[0]], left_b[y[1] - 1] + 1)
        x, y = snap(x, breaks_a), snap(y, breaks_b)
        in_a = places_a[x[0]][0], places_a[x[1] - 1][1]
        in_b = places_b[y[0]][0], places_b[y[1] - 1][1]
        if is_long(x, left_a, places_a) and is_long(y, left_b, places_b):
            found.append((*in_a, *in_b, score / UNIT, qa, qb))
    return found


def keys_of(stems, df):
    """Keys, and the first window of each."""
    found = {}
    for number, begin in enumerate(range(0, max(1, len(stems) - 20), 20)):
        window = {stem for stem in stems[begin : begin + 40] if df[stem] > 1}
        rarest = sorted(window, key=lambda stem: (df[stem], order(stem)))[:6]
        for two in combinations(rarest, 2):
            found.setdefault(frozenset(two), number)
    return found


def around(stems, number, rate):
    """The stems of the 60 words around a window that weigh a nat at least: 13 bits of each, with what they weigh in
    half nats."""
    weights = {stem: weight_of(rate(stem)) for stem in stems[max(0, 20 * number - 10) : 20 * number + 50]}
    halves = {stem: (weight + UNIT // 4) // (UNIT // 2) for stem, weight in weights.items() if weight >= UNIT}
    return {(order(stem) >> 51, half) for stem, half in halves.items()}


def shared_weight(one, other):
    return sum(half * UNIT // 2 for _, half in one & other)


def order(stem):
    """Stems in as many documents go by fingerprint."""
    (number,) = stem_prints(stem)
    return number


def candidates_of(texts, max_df=20, most=100, paired=lambda a, b: True, boilerplate=()):
    """Pairs (a, b) that share a key and have 26 nats in common around it, or more if documents are long; of each a,
    the best."""
    stems = [read(text)[0] for text in texts]
    df = Counter(stem for each in stems for stem in set(each))
    stems = [[each[at] for at in left_of(each, boilerplate)] for each in stems]
    keys = [keys_of(each, df) for each in stems]
    holders = Counter(key for each in keys for key in each)
    useful = [{key: at for key, at in each.items() if holders[key] <= max_df} for each in keys]
    known = shared_rates(texts)

    def rate(stem):
        return max(LEAST, known.get(stem, 0))

    def best(a, b):
        shared = useful[a].keys() & useful[b].keys()
        places = {(useful[a][key], useful[b][key]) for key in shared}
        return max((shared_weight(around(stems[a], x, rate), around(stems[b], y, rate)) for x, y in places), default=0)

    def least(a, b):
        pairs = (len(stems[a]) // 20 + 1) * (len(stems[b]) // 20 + 1)
        return fixed(26 + log(max(1, pairs / 5000)))

    found = []
    for a in range(len(texts)):
        shared = [(best(a, b), b) for b in range(len(texts)) if a != b and paired(a, b)]
        enough = sorted((-weight, b) for weight, b in shared if weight >= least(a, b))
        found += [(a, b) for _, b in enough[:most]]
    return sorted(found)


def shared_rates(texts):
    """The rates of a corpus, whose table of stems has those in two documents at least."""
    return rates_of(texts, least_df=2)
