"""Runs of neardups, as they are shown: how much would go, and how loose the clusters are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unquilt.analyses.banding import Banding
from unquilt.analyses.neardups import IMATCH, SHINGLES, SPOTS, SPOTSIGS
from unquilt.cli.show.views import Facts, View, read_top
from unquilt.cli.terminal.output import are, count
from unquilt.errors import damaged
from unquilt.results import RunFolder
from unquilt.results.keeping import list_alarms
from unquilt.results.rows import name_page
from unquilt.runs.manifest import MANIFEST
from unquilt.tables.neardups import KEPT

MOST_FILLED = 0.5
"""Above this share of filled signatures people are warned."""
LEAST_WORDS = 100
"""Below this number of words in a lexicon, too."""
_COUNTED = (
    "below_min_words",
    "filled",
    "lexicon_words",
    "lexicon_rarer",
    "compared",
    "verified",
    "chained",
    "keep_missing",
)


_MOST_ALARMS = 5
_MOST_RISKY = 5


class NeardupView(View):
    """A run of neardups."""

    def check(self, folder: RunFolder) -> None:
        super().check(folder)
        if "near_duplicates" not in folder.run.manifest["summary"]:
            raise damaged(folder.run.path / MANIFEST, "summary.near_duplicates is missing")

    def facts(self, folder: RunFolder) -> dict[str, Any]:
        """What was counted on the way; None for what the method does not count."""
        summary = folder.run.manifest.get("summary", {})
        alarms = [each.says for each in list_alarms(folder)] if folder.run.complete else []
        counted = {name: summary.get(name) for name in _COUNTED}
        return counted | {"alarms": alarms, "riskiest": _riskiest(folder) if folder.run.complete else []}

    def found(self, facts: Facts) -> Iterator[str]:
        """How many near-duplicates there are, of how many documents."""
        near = facts["near_duplicates"]
        if near:
            rest = f"{near:,} of {count(facts['documents'], 'document')} ({near / facts['documents']:.1%})"
            clusters = count(_clusters(facts), "cluster")
            if facts["chained"] is None:
                yield f"{clusters} of near-duplicates; keeping one document of each leaves out {rest}"
            else:
                yield f"{clusters} of near-duplicates; {rest} {are(near)} near to one that is kept, and can be dropped"
        else:
            yield "No near-duplicates were found."
        if facts["chained"]:
            more = count(facts["chained"], "more document is", "more documents are")
            yield f"{more} in these clusters, but not near to one that is kept, and not dropped"
        for column, missing in (facts["keep_missing"] or {}).items():
            few = count(missing, "document has", "documents have")
            yield f"{few} no {column}, and {'comes' if missing == 1 else 'come'} last in the order of --keep"
        if facts["documents"] > 1:
            yield state_method(facts["parameters"])
        if facts["compared"]:
            near = f"{facts['verified']:,} {are(facts['verified'])} near"
            yield f"{count(facts['compared'], 'pair')} compared exactly, of which {near}"
        if facts["without_signature"]:
            few = count(facts["without_signature"], "document has", "documents have")
            yield f"{few} too few words to be compared with others"
        if facts["below_min_words"]:
            few = count(facts["below_min_words"], "document has", "documents have")
            was = "was" if facts["below_min_words"] == 1 else "were"
            yield f"{few} fewer than {facts['parameters']['min_words']:,} words (--min-words) and {was} not compared"
        if facts["lexicon_words"] is not None and (share := filled(facts)) is not None:
            what = f"{share:.1%} of the signatures were filled up with rarer ones"
            yield f"The lexicon has {count(facts['lexicon_words'], 'word')}; {what}"
        yield from (f"Warning: {warning}" for warning in warn_of_lexicon(facts))
        yield from loosest(facts)
        if facts["riskiest"]:
            yield "Drops that are least like the page that is kept instead:"
            yield from (f"  {_say_drop(row)}" for row in facts["riskiest"])
        yield from (f"Alarm: {alarm}" for alarm in facts["alarms"][:_MOST_ALARMS])
        if more := facts["alarms"][_MOST_ALARMS:]:
            yield f"… and {count(len(more), 'more alarm', 'more alarms')}, see the table audit"

    def commands(self, where: str, facts: Facts) -> dict[str, str]:
        """Tables with nothing in them are left out."""
        some = {name: table for name, table in facts["tables"].items() if table["rows"]}
        commands = super().commands(where, {**facts, "tables": some})
        if facts["near_duplicates"]:
            commands[f"unquilt show {where} clusters --doc ID"] = "one cluster, with the similarity of each document"
            commands[f"unquilt show {where} clusters --diff A B"] = "what differs between two documents"
            commands[f"unquilt export {where} --kept -o kept.jsonl.gz"] = "the documents without near-duplicates"
        return commands

    def idle(self, parameters: Mapping[str, Any]) -> Sequence[str]:
        """Those of the other method, and a threshold that was not given."""
        both = ("k", *IMATCH, *SHINGLES)
        others = {"shingles": IMATCH, "imatch": SHINGLES, SPOTSIGS: both}.get(parameters.get("method", ""), ())
        spots = () if parameters.get("method") == SPOTSIGS else SPOTS
        return (*others, *spots, *(("threshold", "measure") if parameters.get("threshold") is None else ()))


def state_method(parameters: Mapping[str, Any]) -> str:
    """Which near-duplicates the method finds, and how surely: a summary must not say more than that."""
    threshold = parameters.get("threshold")
    if parameters.get("method") == "imatch":
        return "I-Match finds documents that have the same words of a lexicon, of the whole or of a randomised one."
    if threshold is not None:
        if parameters.get("measure") == "containment":
            return f"A near-duplicate has {threshold:g} of its grams or more in a preferred one, compared exactly."
        chance = _percent(Banding.of(threshold).found(threshold))
        grams = "spot signatures" if parameters.get("method") == SPOTSIGS else "grams"
        which = (
            f"pairs that have {threshold:g} of their {grams} or more in common (J >= {threshold:g}), compared exactly"
        )
        return f"Near-duplicates are {which}; one at J = {threshold:g} is found with a probability of {chance}."
    chances = ", ".join(f"{_percent(agreement(jaccard))} at J = {jaccard:g}" for jaccard in (0.95, 0.9, 0.8))
    return f"A pair is found with a probability of {chances}; with --threshold T, of 99 % or more from J = T on."


def agreement(jaccard: float) -> float:
    """The probability that two of six super-fingerprints of 14 shingles agree."""
    q = jaccard**14
    return float(1 - (1 - q) ** 6 - 6 * q * (1 - q) ** 5)


def _percent(chance: float) -> str:
    """Rounded down, so that nothing is promised that is not kept."""
    return f"{int(1000 * chance) / 10:g} %"


def _signed(facts: Facts) -> int:
    return int(facts["documents"] - (facts["without_signature"] or 0) - (facts["below_min_words"] or 0))


def filled(facts: Facts) -> float | None:
    """The share of signatures that the lexicon alone was not enough for; None if that is not known."""
    return None if facts["filled"] is None or _signed(facts) < 1 else facts["filled"] / _signed(facts)


def warn_of_lexicon(facts: Facts) -> Iterator[str]:
    """What makes a lexicon a bad one for these documents."""
    share, words = filled(facts), facts["lexicon_words"]
    if share is not None and share > MOST_FILLED:
        why = "signatures had too few words of the lexicon and were filled up with rarer ones, which change more easily"
        yield f"{share:.0%} of the {why}; choose a wider or lower --nidf"
    if words is not None:
        yield from warn_of_size(words)


def warn_of_size(words: int) -> Iterator[str]:
    """What makes a lexicon of so many words a bad one for any documents."""
    if words < LEAST_WORDS:
        what = f"the lexicon has {count(words, 'word')} only"
        yield f"{what}: documents that have little in common may share all of them; choose a wider --nidf"


def _clusters(facts: Facts) -> int:
    """Of the documents in clusters, one in each is preferred; the others go, or are chained."""
    rows: int = facts["tables"]["clusters"]["rows"]
    return rows - int(facts["near_duplicates"]) - int(facts["chained"] or 0)


def _riskiest(folder: RunFolder) -> list[dict[str, Any]]:
    """The documents that would go although they are least like the ones that are kept instead, by their names."""
    found = read_top(folder, KEPT.name, _MOST_RISKY) or []
    drops = [row for row in found if not row["keep"] and row.get("similarity") is not None]
    pages = folder.pages(doc for row in drops for doc in (row["doc"], row["kept_instead"]))
    return [_name_drop(row, pages) for row in drops]


def _name_drop(row: Mapping[str, Any], pages: Mapping[int, tuple[str, str | None]]) -> dict[str, Any]:
    names = [name_page(pages, row[column]) for column in ("doc", "kept_instead")]
    if names[0] == names[1]:  # versions of one URL
        names = [pages[row[column]][0] for column in ("doc", "kept_instead")]
    return {"dropped": names[0], "kept_instead": names[1], "similarity": row["similarity"]}


def _say_drop(row: Mapping[str, Any]) -> str:
    return f"{row['dropped']}, for {row['kept_instead']} (similarity {row['similarity']:.3f})"


def loosest(facts: Facts) -> Iterator[str]:
    """The cluster whose documents are least alike: where to look whether chains went too far."""
    for row in facts.get("loosest") or ():
        spread = (
            f"{row['least']:.2f}" if row["documents"] == 2 else f"from {row['least']:.2f}, median {row['median']:.2f}"
        )
        size_ = count(row["documents"], "document")
        whom = "the preferred one" if facts["chained"] else "the one that is kept"
        yield f"The loosest is cluster {row['cluster']}: {size_}, similarity to {whom} {spread}"
