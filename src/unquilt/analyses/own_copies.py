"""Copies of ours: who has what of our pages, at three strengths.

    ours, theirs   the pages that are named as ours; all others but those that are left out: other pages of our sites,
                   sites that are excepted, and files for machines
    equal(o, t)    the runs of at least `min_words` words that a page of ours and one of theirs share, as long as they
                   can be: passages by grams of `k` words, without gaps
    reworded(o, t) the passages that `reworded` finds in the two
    boilerplate    a passage that more than `max_ours` pages of ours have (a template of ours), and one that is a notice
                   of copyright or a licence by the rule of `reuse`; both are left out, and counted
    copy(o, t)     what is left, if o is the page of ours that t has most of: where pages of ours share text, the one
                   from which t took the most words comes first, then the one with the larger share of them. A
                   passage of the next pages counts if less than half of its place in t is taken. A reworded passage
                   counts if equal words of o and t are less than half of it, in both

`choose_passages` is the rule for one page of theirs; `jobs.own_copies` reads texts, and writes the tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from unquilt.analyses.analysis import Job
from unquilt.analyses.passages import DECLARATION as PASSAGES_JOB
from unquilt.analyses.passages import PassageParameters, find_equal_words, locate_passages
from unquilt.analyses.reworded import DECLARATION as REWORDED_JOB
from unquilt.analyses.reworded import RewordedParameters, align_candidates
from unquilt.analyses.reworded_candidates import CANDIDATE_TABLES, find_candidates
from unquilt.flow.kept import Kept
from unquilt.flow.verbs import Verbs
from unquilt.parameters import Parameters, parameter
from unquilt.tables.copies import COPIES, COPYING_SITES, EQUAL_PASSAGES, REWORDED_PASSAGES, SIDES
from unquilt.tables.passages import PASSAGE_RUNS, PASSAGES

STRENGTHS = ("paragraphs", "words", "reworded")
"""How much like ours a copy is, the strongest first."""


@dataclass(frozen=True)
class OwnCopyParameters(Parameters):
    """What counts as a copy of ours, and what a site is."""

    min_words: int = parameter(20, "minimum number of words in a row that count as a copy", at_least=8, at_most=2**32)
    k: int = parameter(8, "words in a gram by which equal words are found", at_least=1, at_most=2**20)
    max_df: int = parameter(
        1000, "maximum number of documents with a gram by which equal words are found", at_least=1, at_most=2**32 - 1
    )
    max_ours: int = parameter(
        5,
        "leave out passages that more pages of ours than this have, such as templates; 0: leave out none",
        at_least=0,
        at_most=2**32,
    )
    notices: bool = parameter(False, "keep passages that are notices of copyright and licences")
    reworded: bool = parameter(True, "look for reworded passages, too")
    site: str = parameter(
        "suffix",
        "what a site is; pages of our own sites are not compared with each other",
        one_of=("host", "domain", "suffix"),
    )
    except_: tuple[str, ...] = parameter(
        (), "sites, or prefixes of URLs, to leave out, such as our mirrors and licensed partners"
    )

    @property
    def equal(self) -> PassageParameters:
        """How equal words are found."""
        words = self.min_words
        return PassageParameters(
            signature="grams", gamma=words, max_gap=0, k=min(self.k, words), min_words=words, max_df=self.max_df
        )


def compare_sides(verbs: Verbs, corpus: Kept, sides: Kept, given: OwnCopyParameters) -> list[Kept]:
    """The passages that our pages share with theirs: equal ones, then reworded ones.

    `sides` has each document with one of two servers, ours or theirs, so that only pages of the two are foreign to
    each other; a document that is left out counts as a copy of another. Costs what `passages --signature grams` and
    `reworded` cost over the whole corpus.
    """
    runs, _ = find_equal_words(verbs, corpus, given.equal, sides)
    located, _ = locate_passages(verbs, corpus, verbs.keep(runs, PASSAGE_RUNS), given.equal)
    tables = [verbs.keep(located, EQUAL_PASSAGES)]
    if given.reworded:
        usual = RewordedParameters()
        sharing: dict[str, Any] = {
            "boilerplate": usual.boilerplate,
            "max_df": usual.max_df,
            "most": usual.max_candidates,
        }
        candidates = find_candidates(verbs, corpus, sides, {"a": "", "b": ""}, **sharing)
        (found, *_), _ = align_candidates(verbs, corpus, candidates, both_ways=True)
        tables.append(verbs.keep(found, REWORDED_PASSAGES))
    return tables


class Shared(NamedTuple):
    """A passage of a page of ours and a page of theirs, by where it is in both; `words` are those that were taken over,
    of a reworded one its weight; `row` says which it is."""

    ours: int
    our_begin: int
    our_end: int
    begin: int
    end: int
    words: float
    equal: bool
    row: int


class Chosen(NamedTuple):
    """The passages of a page of theirs that count, by page of ours; how many other pages of ours have them; and how
    many passages were left out as templates of ours."""

    passages: dict[int, list[Shared]]
    also: dict[int, int]
    templates: int


def choose_passages(found: Sequence[Shared], lengths: Mapping[int, int], given: OwnCopyParameters) -> Chosen:
    """The passages of one page of theirs that count, each for one page of ours; `lengths` has the words of ours."""
    there = _drop_templates(found, given.max_ours, len(lengths))
    of_page: dict[int, list[Shared]] = {}
    for each in there:
        of_page.setdefault(each.ours, []).append(each)
    chosen: dict[int, list[Shared]] = {}
    also: dict[int, int] = {}
    taken: list[Shared] = []
    for ours in sorted(of_page, key=lambda page: _rank(page, of_page[page], lengths)):
        left = [each for each in of_page[ours] if not _is_taken(each, taken)]
        equal = [each for each in left if each.equal]
        own = equal + [each for each in left if not (each.equal or _is_told(each, equal))]
        if own:
            chosen[ours] = sorted(own)
        else:
            first = max(taken, key=lambda one: (max(measure_overlap(each, [one]) for each in of_page[ours]), -one.row))
            also[first.ours] = also.get(first.ours, 0) + 1
        taken += own
    return Chosen(chosen, also, len(found) - len(there))


def _rank(page: int, passages: Iterable[Shared], lengths: Mapping[int, int]) -> tuple[float, float, int]:
    """Pages of ours by how many words of them were taken over, then by the share of these."""
    there = list(passages)
    words = max(sum(each.words for each in there if each.equal is equal) for equal in (True, False))
    return -words, -words / max(1, lengths[page]), page


def _is_taken(passage: Shared, taken: Iterable[Shared]) -> bool:
    """Whether at least half of its place in their page is that of passages of other pages of ours."""
    return 2 * measure_overlap(passage, taken) >= passage.end - passage.begin


def _is_told(passage: Shared, equal: Sequence[Shared]) -> bool:
    """Whether equal words are at least half of a reworded passage, in one of the two pages."""
    ours = [each._replace(begin=each.our_begin, end=each.our_end) for each in (passage, *equal)]
    return any(2 * measure_overlap(one, rest) >= one.end - one.begin for one, *rest in ((passage, *equal), ours))


def _drop_templates(found: Sequence[Shared], most: int, pages: int) -> list[Shared]:
    """The passages that are not of templates. Equal words are held against equal words only: pages of one catalogue are
    like each other, and yet each can be copied."""
    if not most:
        return list(found)
    equal = _find_templates([each for each in found if each.equal], most, pages)
    every = _find_templates(found, most, pages)
    return [each for each in found if (each.begin, each.end) not in (equal if each.equal else every)]


def _find_templates(found: Sequence[Shared], most: int, pages: int) -> set[tuple[int, int]]:
    """The places in their page that have text which more than `most` pages of ours have; or all of ours, if we have
    three pages or more."""
    of_place: dict[tuple[int, int], set[int]] = {}
    for each in found:
        of_place.setdefault((each.begin, each.end), set()).add(each.ours)
    limit = min(most, pages - 1) if pages > 2 else most
    if len({each.ours for each in found}) <= limit:
        return set()
    places = sorted(of_place)
    common = set()
    for begin, end in places:
        having: set[int] = set()
        for other in places:
            if other[0] >= end:
                break
            if 2 * (min(end, other[1]) - max(begin, other[0])) >= end - begin:
                having |= of_place[other]
                if len(having) > limit:
                    common.add((begin, end))
                    break
    return common


def measure_overlap(passage: Shared, others: Iterable[Shared]) -> int:
    """How many characters of the place of a passage in their page lie in those of others, each counted once."""
    total, reached = 0, passage.begin
    for begin, end in sorted((each.begin, each.end) for each in others):
        until = min(passage.end, end)
        total += max(0, until - max(begin, reached))
        reached = max(reached, until)
    return total


DECLARATION = Job(
    name="copies",
    results=(COPIES, COPYING_SITES, PASSAGES),
    parameters=OwnCopyParameters,
    others=(EQUAL_PASSAGES, REWORDED_PASSAGES, PASSAGE_RUNS, SIDES, *CANDIDATE_TABLES),
    summary="unquilt.cli.show.copies:CopiesView",
    report="unquilt.page.report.sections.copies:show_copies",
    labels=dict(PASSAGES_JOB.labels)
    | dict(REWORDED_JOB.labels)
    | {
        "sides": "telling our pages from theirs",
        "equal_passages": "locating passages",
        "reworded_passages": "aligning texts",
        "own_copies": "choosing our page of each passage",
    },
)
