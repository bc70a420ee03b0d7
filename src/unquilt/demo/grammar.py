"""A small grammar of English: kinds of words in all their forms, and the patterns of sentences and titles.

A pattern is English with letters in braces, each a kind of word or of phrase: `{Y} {p} {V} the {a} {o}.` becomes
"An honest potter repaired the narrow bridge." What is drawn for a letter is one of the 8,192 places of its table,
where frequent words fill more places: the weight of the word of rank r among n is 1 / (r + n / 2), so the first is
three times as frequent as the last.

Patterns seldom put more than two fixed words into five, and no two begin or go on alike for long, since pages must not
share 5-grams by accident: see `language`, where this is measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, cycle, product
from operator import getitem

from unquilt.demo import words

Table = tuple[str, ...]
PLACE_BITS = 13  # tables of 8,192 places together fit a processor's cache
PLACES = 1 << PLACE_BITS

SENTENCES = """
{Y} {p} {V} the {a} {o} {R} {X} {l}.
{Y} {p} {D} {V} {a} {O} {r} {W}.
{Y} {p} and {Y} {p} {V} {a} {O} {T}.
{Y} {p} {M} {N}, who {V} {a} {O}.
{Y} {p} {M} the {b} {p} {T}, {C} {Q} {P} {I}.
{Y} {p} from {W} {D} {V} {X} {o}, {C} {N} {M} the {p}.
{Y} {p} {K} that {b} {P} {V} {a} {O} {R} {X} {l}.
{Y} {p} {I} {D} {R} the {a} {l}, {G} {O}.
{Y} {p} {I} {R} {X} {l}, {C} {P} {V} {X} {o}.
{Y} {p} who {D} {V} {O} {T} {M} {N}.
{Y} {p} once {V} {X} {o} of {N}.
{Y} {p} with {a} {O} {I} {r} {W} {T}.
{N} {V} {X} {o} {R} {Q} {L}.
{N} {D} {V} the {a} {o}, {C} {Y} {p} {I}.
{N} {M} {b} {P} {R} {X} {l}, {C} {n} {V} {a} {O}.
{N} {K} that {b} {P} {w} {S} and {S}.
{N}, the {p} of {W}, {D} {V} {a} {O} {T}.
{N} and {N} {V} {X} {o} {R} {X} {l}.
{N} {I} {r} {W}, {C} {Q} {P} {D} {V} {u} {O}.
{N} {G} {a} {O} {D} {M} {Y} {p} {T}.
{N}, {Y} {p} with {a} {O}, {V} {X} {o} {T}.
{N} left {u} {a} {O} and {a} {O} to {N}.
{Q} {b} {P} {V} {X} {o} {r} {W}.
{Q} {P} {D} {V} {a} {O}, {C} {Y} {p} {M} {N}.
{Q} {P} {I} {T}, and {N} {V} {a} {O}.
{Q} {P} from {W} {M} {Y} {p}, {G} {a} {O} {R} {X} {l}.
{Q} {P} {K} that {N} {V} {a} {O}.
{Q} {O} {R} {X} {l} were {a}, {a} and {a}.
{Q} {a} {O} from {W} {H} {D} {d} {R} {X} {l}.
{Q} {L} {r} {W} {z} {a} {O} and {S}.
{X} {o} {R} {X} {l} {h} {d} {T}.
{X} {o} {h} {d} by {b} {P}, {C} {N} {I}.
{X} {o}, {X} {o} and {u} {O} {H} {d} {r} {W}.
{X} {l} {r} {W} {z} {Q} {a} {O} for {P}.
{X} {l} {D} {M} {b} {P}, who {V} {a} {O}.
{X} {l} with {a} {O} {h} {d} by {b} {P} {T}.
The {a} {o} {R} {X} {l} {h} {d} {T}, {C} {P} {I}.
The {p} {V} {u} {O}, {u} {O} and {X} {o}.
The {P} of {W} {D} {v} {a} {O}, {C} {P} from {W} {w} {S}.
{X} {l} of {W} {D} {M} {b} {P}.
The {b} {p} {D} {M} {P}, {C} {a} {O} {H} {d}.
{T}, {Y} {p} {V} {a} {O} {R} {X} {l}.
{T}, {N} {D} {M} {b} {P} {R} {X} {l}.
{T}, {Q} {P} {I} {R} the {a} {l}, {G} {O}.
{T}, {X} {o} {h} {d} {r} {W}, {C} {N} {I}.
{R} {X} {l}, {b} {P} {D} {v} {a} {O}.
{R} the {a} {l}, {N} {V} {u} {O} {T}.
{G} {a} {O} {D} {M} {b} {P} {T}.
{J} {R} {X} {l}, {Y} {p} {V} the {a} {o}.
{D}, {Y} {p} {V} {O} that {b} {P} {w}.
{C} {Q} {P} {I} {r} {W}, {Y} {p} {V} {X} {o}.
{C} {N} {V} {X} {o}, {b} {P} {D} {M} {Y} {p}.
{C} {X} {l} {h} {d}, {Q} {P} {V} {a} {O} {T}.
Without {S}, {b} {P} {D} {v} {a} {O}.
Nobody {r} {W} {D} {V} {a} {O} {C} {N} {I}.
“{S} and {S} {m} {b} {P},” {K} {N} {T}.
“{b} {P} {D} {v} {a} {O},” {K} {Y} {p} from {W}.
“{X} {o} {R} {X} {l}?” {K} {N} {D}.
Did {Y} {p} {v} {a} {O} {r} {W}?
Would {Y} {p} {D} {v} {X} {o} {C} {P} {I}?
Again {b} {P} {v} {a} {O} {R} {X} {l}!
What {N} {V} {r} {W} {M} {Q} {b} {P}.
{a} {O} and {S} {j} {Y} {p} to {v} {O}.
Every {a} {o} {r} {W} {D} reminded {N} of {a} {O}.
""".strip().splitlines()
"""The patterns of sentences, 64 of them, each as frequent as the others."""

TITLES = """
{X} {o} {r} {W}
{Q} {a} {O} and {S}
How {b} {P} {v} {a} {O}
{N} and the {a} {o}
{S}, {S} and {a} {O}
{a} {O} {R} {X} {l}
Why {Y} {p} {V} {O}
The {p} who {V} {a} {O}
{G} {a} {O} in {W}
{W} and its {a} {L}
{b} {P} {R} {X} {l}
The {p} of {W} {V} {a} {O}
{u} {a} {O} for {b} {P}
{S} for {b} {P} of {W}
The {l} that {M} {N}
{J} {r} {W} with {N}
""".strip().splitlines()
"""The patterns of titles, 16 of them."""

OFFERS = """
{a} {O} are sent to {W} free of charge
Made by {b} {P} from {W}
With {X} {o} as a gift
Kept for {Q} {P} of {W}
""".strip().splitlines()
"""What a shop says of its goods."""

_NUMBERS = """
two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
twenty thirty forty fifty sixty seventy eighty ninety
"""
_ONE = "the a the a the a this that every each another one our their his her my your the a no"
_MANY = "the some several many most few all these those our their his her" + _NUMBERS
_OFFERED = "had offered needed sold lost sheltered hid kept wanted promised lacked bought stored received"
_LED = "led taught forced encouraged persuaded helped allowed drove inspired advised asked obliged"
_WAS = "was is seemed looked became remained"
_WERE = "were are seemed looked became remained"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern as `text % words`, the table that each of its words is drawn from, and how many words it makes."""

    text: str
    tables: tuple[Table, ...]
    words: int


def fill(chosen: Sequence[Pattern], drawn: Sequence[int]) -> list[str]:
    """Each pattern in English, for these places of the tables; numbers that are left over do not matter.

    All are filled in one go, which takes half the time of one by one.
    """
    text = "\n".join([pattern.text for pattern in chosen])
    found = chain.from_iterable([pattern.tables for pattern in chosen])
    return (text % tuple(map(getitem, found, drawn))).split("\n")


def past(verb: str) -> str:
    """The past tense; of irregular verbs it is behind a colon.

    >>> [past(verb) for verb in ("carry", "paint", "lose:lost", "invite")]
    ['carried', 'painted', 'lost', 'invited']
    """
    base, _, irregular = verb.partition(":")
    if irregular:
        return irregular
    if base.endswith("e"):
        return base + "d"
    return base[:-1] + "ied" if _ends_in_y(base) else base + "ed"


def gerund(verb: str) -> str:
    """The form in -ing of a regular verb.

    >>> [gerund(verb) for verb in ("carry", "invite", "disagree")]
    ['carrying', 'inviting', 'disagreeing']
    """
    return (verb[:-1] if verb.endswith("e") and not verb.endswith("ee") else verb) + "ing"


def plural(noun: str) -> str:
    """The regular plural.

    >>> [plural(noun) for noun in ("lamp", "torch", "diary", "tray")]
    ['lamps', 'torches', 'diaries', 'trays']
    """
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    return noun[:-1] + "ies" if _ends_in_y(noun) else noun + "s"


def _ends_in_y(word: str) -> bool:
    return word.endswith("y") and word[-2] not in "aeou"


def sounds_open(word: str) -> bool:
    """Whether "an" goes before the word."""
    return word[0] in "aeiou"


def spread(entries: Sequence[str]) -> Table:
    """A table in which entries fill the more places the earlier they come: see above."""
    weights = [1_000_000_000 // (2 * rank + len(entries)) for rank in range(1, len(entries) + 1)]
    total, reached = sum(weights), 0
    places: list[str] = []
    for entry, weight in zip(entries, weights, strict=True):
        reached += weight
        places.extend([entry] * (reached * PLACES // total - len(places)))
    return tuple(places)


def _with_articles(adjectives: Table) -> Table:
    """An article or the like before each adjective; neighbouring places, which have the same one, take turns."""
    pairs = list(zip(cycle(_ONE.split()), adjectives, strict=False))
    joined = {(one, word): f"{'an' if one == 'a' and sounds_open(word) else one} {word}" for one, word in pairs}
    return tuple(joined[pair] for pair in pairs)


def _times() -> Iterator[str]:
    """Ways to say when, two words each."""
    yield from (f"{when} {year}" for year, when in product(range(1500, 2025), ("in", "before", "after", "around")))


@cache
def tables() -> dict[str, Table]:
    """What the letters of patterns stand for."""
    people, things, places = words.PEOPLE.split(), words.THINGS.split(), words.PLACES.split()
    making, meeting, moving = words.MAKING.split(), words.MEETING.split(), words.MOVING.split()
    regular = [verb for verb in making if ":" not in verb]
    adjectives, personal = spread(words.ADJECTIVES.split()), spread(words.PERSONAL.split())
    begin = words.NAME_BEGINNINGS.split()
    return {
        "p": spread(people),
        "P": spread([plural(noun) for noun in people]),
        "o": spread(things),
        "O": spread([plural(noun) for noun in things]),
        "l": spread(places),
        "L": spread([plural(noun) for noun in places]),
        "S": spread(words.TOPICS.split()),
        "e": spread(words.MATERIALS.split()),
        "a": adjectives,
        "b": personal,
        "X": _with_articles(adjectives),
        "Y": _with_articles(personal),
        "Q": spread(_MANY.split()),
        "u": spread([str(number) for number in range(2, 1000)]),
        "V": spread([past(verb) for verb in making]),
        "v": spread([verb.partition(":")[0] for verb in making]),
        "d": spread([past(verb) for verb in regular]),
        "G": spread([gerund(verb) for verb in regular]),
        "M": spread([past(verb) for verb in meeting]),
        "m": spread([verb.partition(":")[0] for verb in meeting]),
        "I": spread([past(verb) for verb in moving]),
        "J": spread([gerund(verb) for verb in moving if ":" not in verb]),
        "D": spread(words.MANNER.split()),
        "K": spread(words.SPEECH.split()),
        "w": spread(words.ABOUT.split()),
        "z": spread(_OFFERED.split()),
        "j": spread(_LED.split()),
        "h": spread(_WAS.split()),
        "H": spread(_WERE.split()),
        "C": spread(words.CONJUNCTIONS.split()),
        "R": spread(words.PREPOSITIONS.split()),
        "r": spread(words.TOWNWARD.split()),
        "T": spread(list(_times())),
        "n": spread(["she", "he"]),
        "g": spread(words.GIVEN.split()),
        "s": spread([first + last for last, first in product(words.SURNAME_ENDINGS.split(), begin)]),
        "W": spread([first + last for last, first in product(words.TOWN_ENDINGS.split(), begin)]),
    }


_LETTER = re.compile(r"\{(\w)\}")


@cache
def patterns(which: str) -> tuple[Pattern, ...]:
    """The patterns of "sentences", "titles" or "offers", ready to be filled."""
    listed = {"sentences": SENTENCES, "titles": TITLES, "offers": OFFERS}[which]
    return tuple(map(_compile, listed))


def _compile(pattern: str) -> Pattern:
    pattern = pattern.replace("{N}", "{g} {s}")
    letters = _LETTER.findall(pattern)
    found = [tables()[letter] for letter in letters]
    if pattern.lstrip("“").startswith("{"):
        found[0] = _capitals(letters[0])
    text = _LETTER.sub("%s", pattern)
    more = sum(sum(entry.count(" ") for entry in table) for table in found) // PLACES  # as "the old" is two words
    return Pattern(text, tuple(found), text.count(" ") + 1 + more)


@cache
def _capitals(letter: str) -> Table:
    """A table as sentences begin with it; equal entries are one object, which is quicker to look up."""
    capitals = {entry: entry[0].upper() + entry[1:] for entry in tables()[letter]}
    return tuple(capitals[entry] for entry in tables()[letter])


@cache
def kin() -> dict[str, Table]:
    """A word → the table of words that can stand in its place."""
    known = tables()
    return {word: known[letter] for letter in "DSIJGMdvVbaLlOoPp" for word in known[letter]}
