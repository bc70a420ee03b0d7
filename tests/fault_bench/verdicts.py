"""What a reading of a broken file is held to. The words are defined in `fault_bench`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from fault_bench.bases import Record, Rules, Sample, collapse, is_rubbish
from fault_bench.patchwork import Patchwork

EXCUSED = "excused"
MOST_WITHIN = 5000
"""How many bytes more than it has a member may seem to have."""
FAILURES = {
    "silent": "records lost or changed without a reject",
    "neighbour": "intact records lost",
    "phantom": "documents that never were records",
    "alarm": "rejects where nothing is broken",
    "raised": "errors that are no InputError",
    "crash": "processes that ended",
    "hang": "processes that did not",
}
EXCEPTIONS = {
    "no checksum": "plain text, HTML, mail, JSON, plain archives, zstd and Parquet without checksums: what is in a "
    "touched record is what the file says",
    "whole units": "what decodes on its own was taken out, moved or repeated as a whole; all that is left is intact",
    "end of a mail": "only the next `From ` line tells where a mail ends: the one before a broken one is in doubt",
    "no mail": "a plain mailbox has no lengths: without its `From ` line a mail is part of the one before",
    "end of a line": "without a checksum nobody knows that a line end is missing: two lines are one",
    "end of a record": "in a plain ARC only the next header tells that a length was right: the record before junk is "
    "rejected",
    "within a record": "a record in the body of another one that ends where it should is content of that one; so is a "
    "member between the beginning and the end of another one",
    "misplaced": "behind the first record of a member offsets go on in decoded bytes: a reject may lie further on",
    "kind of record": "a plain archive says another type or status than it did: the record is counted as skipped",
    "footer": "the footer of Parquet, which has no checksum, says where rows are: the file is refused, or read as it "
    "says",
}
"""What a format cannot show, and why."""


class Row(NamedTuple):
    """A document or a reject: where it is said to be, and its text (white space collapsed) or reason."""

    offset: int
    said: str


class Seen(NamedTuple):
    """What reading made of one file; `skipped` are records that it counted as no documents."""

    documents: Sequence[Row]
    rejects: Sequence[Row]
    skipped: int = 0


class Finding(NamedTuple):
    """Something that is not as in the base: one of `FAILURES` and the particulars, or excused by an exception."""

    sort: str
    what: str


def excuse(exception: str) -> Finding:
    assert exception in EXCEPTIONS
    return Finding(EXCUSED, exception)


def judge(sample: Sample, file: Patchwork, seen: Seen) -> list[Finding]:
    """All that is wrong with what was seen of a file."""
    judges = {"stretches": _judge_stretches, "lines": _judge_lines, "rows": _judge_rows, "file": _judge_file}
    return list(judges[sample.rules.told_by](sample, file, seen))


def _name(sort: str, what: str, numbers: Sequence[int]) -> Iterator[Finding]:
    """One finding for some records, if there are any."""
    if numbers:
        which = ", ".join(map(str, numbers))
        yield Finding(sort, what.format(f"records {which} are" if len(numbers) > 1 else f"record {which} is"))


def refused(sample: Sample, file: Patchwork, why: str) -> list[Finding]:
    """A file that was not read at all, which was said: nothing is silent, but what is intact is lost with the rest."""
    if sample.footer is not None:
        if has_footer(sample, file) and has_magic(sample, file):
            return [Finding("neighbour", f"refused with an intact footer: {why}")]
        return [excuse("footer")]
    if sample.rules.told_by == "lines":
        lost = [text for _, text in _true_lines(file.data) if text]
    else:
        lost = [sample.records[number].text for _, number in _intact(sample, file)]
    return [Finding("neighbour", f"refused with {len(lost)} intact records: {why}")] if lost else []


# Files whose records stand one after the other.


def _numbers(sample: Sample, texts: Sequence[str]) -> list[int]:
    """Which records the texts are; -1 for one that is none."""
    known = {record.text: number for number, record in enumerate(sample.records)}
    return [known.get(text, -1) for text in texts]


Places = list[tuple[int, int]]
"""Where records stand that are as they were, and which ones, in the order of the file."""


def _intact(sample: Sample, file: Patchwork) -> Places:
    return _sort_copies(sample, file)[""]


def _sort_copies(sample: Sample, file: Patchwork) -> dict[str, Places]:
    """Records that are as they were, by the exception that excuses their loss; "" if none does."""
    data, rules = file.data, sample.rules
    framed = list(rules.framed(data) if rules.framed else _split_members(sample, file))
    found: dict[str, Places] = {"": []}
    for number, record in enumerate(sample.records):
        for place in file.copies(record.begin, record.end):
            end = place + record.end - record.begin
            excused = ""
            if any(within.start < place < within.stop for within in framed):
                excused = "within a record"
            elif not _stands(data, place, end, rules):
                excused = "end of a mail" if rules.hides_end else "end of a record"
            found.setdefault(excused, []).append((place, number))
    return {excused: sorted(places) for excused, places in found.items()}


def _split_members(sample: Sample, file: Patchwork) -> Iterator[range]:
    """Where a member or frame begins and ends as it did, with something else in between."""
    for begin, end in {(record.begin, record.end) for record in sample.records}:
        for first in file.copies(begin, begin + 1):
            for last in file.copies(end - 1, end):
                if first + end - begin - 1 < last < first + end - begin + MOST_WITHIN:
                    yield range(first, last)


def _stands(data: bytes, begin: int, end: int, rules: Rules) -> bool:
    """Whether what surrounds a record tells where it begins and ends."""
    begins = begin == 0 or data.endswith(rules.before, 0, begin)
    return begins and (end == len(data) or rules.after is None or rules.after.match(data, end) is not None)


class _Gap(NamedTuple):
    """A stretch of a file between two records that are intact and were found, and what was said about it."""

    begin: int
    end: int
    documents: list[Row]
    rejects: list[Row]
    clean: bool
    """Nothing is in it, or next to it, but what decodes on its own, all of it intact."""


def _gaps(sample: Sample, file: Patchwork, seen: Seen, intact: Places) -> list[_Gap]:
    found = _numbers(sample, [row.said for row in seen.documents])
    matches = SequenceMatcher(None, [number for _, number in intact], found, autojunk=False).get_matching_blocks()
    marks = [(0, 0, -1)]  # where a record begins and ends in the file, and the offset it was found at
    for match in matches:
        for i in range(match.size):
            place, number = intact[match.a + i]
            size = sample.records[number].end - sample.records[number].begin
            marks.append((place, place + size, seen.documents[match.b + i].offset))
    marks.append((len(file), len(file), 1 << 62))
    parts = [
        (at, part.origin, len(part.data))
        for at, part in file.placed()
        if part.origin is not None or part.data.strip(sample.rules.blank)
    ]
    gaps = []
    for (_, begin, after), (end, _, until) in pairwise(marks):
        clean = all(_is_clean(*part, begin, end, sample.borders) for part in parts)
        documents = [row for row in seen.documents if after < row.offset < until]
        rejects = [row for row in seen.rejects if after < row.offset <= until]
        gaps.append(_Gap(begin, end, documents, rejects, clean))
    return gaps


def _is_clean(at: int, origin: int | None, size: int, begin: int, end: int, borders: frozenset[int]) -> bool:
    """Whether a part of a file has its ends, as far as they are in [begin, end], at borders."""
    if at + size < begin or at > end:
        return True
    if origin is None:
        return False
    begins = not begin <= at <= end or origin in borders
    return begins and (not begin <= at + size <= end or origin + size in borders)


def _judge_stretches(sample: Sample, file: Patchwork, seen: Seen) -> Iterator[Finding]:
    rules, copies = sample.rules, _sort_copies(sample, file)
    intact = copies.pop("")
    excused = {number: excuse(name) for name, places in copies.items() for _, number in places}
    if rules.hides_end:
        excused |= dict.fromkeys(_before_gaps(sample, intact, len(file)), excuse("end of a mail"))
    if rules.joins:
        excused |= dict.fromkeys(_after_gaps(sample, intact), excuse("end of a line"))
    found = Counter(_numbers(sample, [row.said for row in seen.documents]))
    gaps = _gaps(sample, file, seen, intact)
    kept = Counter(number for _, number in intact)
    missing = sorted(kept.keys() - found.keys())
    yield from {excused[number] for number in missing if number in excused}
    yield from _name("neighbour", "{} intact and lost", [number for number in missing if number not in excused])

    lost = [number for number in range(len(sample.records)) if not found[number]]
    lost = [number for number in lost if not kept[number] or number in excused]
    told = {number: _telling(sample.records[number], file, gaps, rules, seen) for number in lost}
    yield from {excuse(name) for name in told.values() if name in EXCEPTIONS}
    silent = [number for number, name in told.items() if not name]
    runs = sum(number - 1 not in silent for number in silent)
    if silent and not rules.checked and runs <= seen.skipped:
        yield excuse("kind of record")
    elif silent and rules.checked and runs <= len(_spare(sample, file, gaps, lost, silent)):
        yield excuse("misplaced")
    else:
        yield from _name("silent", "{} lost, and no reject says so", silent)
    yield from _judge_changed(sample, gaps)
    if sample.aligned and seen.rejects and file.parts and all(gap.clean for gap in gaps):
        yield Finding("alarm", f"nothing is broken, but {seen.rejects[0].said} at {seen.rejects[0].offset}")


def _spare(
    sample: Sample, file: Patchwork, gaps: Sequence[_Gap], lost: Sequence[int], silent: Sequence[int]
) -> list[Row]:
    """Rejects where nothing was lost, behind where something was lost in silence."""
    places = {number: {gap.begin for gap in _about(sample.records[number], file, gaps)} for number in lost}
    begins = set[int]().union(*places.values())
    first = min((place for number in silent for place in places[number]), default=0)
    return [row for gap in gaps if gap.begin not in begins and gap.begin > first for row in gap.rejects]


def _about(record: Record, file: Patchwork, gaps: Sequence[_Gap]) -> list[_Gap]:
    """The gaps in which there is something left of a record, or should be."""
    traces = file.traces(record.begin, record.end)
    return [gap for gap in gaps if any(a <= gap.end and gap.begin <= b for a, b in traces)]


def _judge_changed(sample: Sample, gaps: Sequence[_Gap]) -> Iterator[Finding]:
    """Documents that are no records of the base."""
    for gap in gaps:
        for row in gap.documents:
            if _numbers(sample, [row.said]) != [-1]:
                continue
            if not sample.rules.checked:
                yield excuse("no checksum")
            elif gap.clean:
                yield excuse("whole units")
            else:
                if not gap.rejects:
                    yield Finding("silent", f"changed, and no reject says so: {row.said[:80]!r} at {row.offset}")
                if is_rubbish(row.said):
                    yield Finding("phantom", f"{row.said[:80]!r} at {row.offset}")


def _before_gaps(sample: Sample, intact: Places, size: int) -> set[int]:
    """The records after which something else comes than an intact one."""
    edges = {place for place, _ in intact} | {size}
    sizes = [record.end - record.begin for record in sample.records]
    return {number for place, number in intact if place + sizes[number] not in edges}


def _after_gaps(sample: Sample, intact: Places) -> set[int]:
    """The records, first of their frame, that come after something else than an intact one."""
    edges = {place + sample.records[number].end - sample.records[number].begin for place, number in intact} | {0}
    firsts: dict[int, int] = {}
    for place, number in intact:
        firsts[place] = min(number, firsts.get(place, number))
    return {number for place, number in firsts.items() if place not in edges}


def _telling(record: Record, file: Patchwork, gaps: Sequence[_Gap], rules: Rules, seen: Seen) -> str:
    """What tells that a record is lost: "reject", if one is about what is left of it; an exception; or "", nothing."""
    about = _about(record, file, gaps)
    if any(gap.rejects for gap in about) or (not about and seen.rejects):
        return "reject"
    if any(gap.clean for gap in about):
        return "whole units"
    if not rules.checked and any(gap.documents for gap in about):
        return "no checksum"
    return "no mail" if rules.hides_end and not rules.checked else ""


# Lines that are not compressed: what each is can be told by anyone.


def _true_lines(data: bytes) -> Iterator[tuple[int, str]]:
    """Where each line begins that is not blank, and its text; "" if it is no document."""
    at = 0
    for line in data.split(b"\n"):
        if line.strip():
            yield at, _true_line(line)
        at += len(line) + 1


def _true_line(line: bytes) -> str:
    try:
        value = json.loads(line.decode())
        text = value["text"] if isinstance(value, dict) else None
        if isinstance(text, str):
            json.dumps(value, ensure_ascii=False).encode()  # fails for half a surrogate
            return collapse(text)
    except (ValueError, KeyError, RecursionError):
        pass
    return ""


def _judge_lines(sample: Sample, file: Patchwork, seen: Seen) -> Iterator[Finding]:
    documents, rejects = dict(seen.documents), dict(seen.rejects)
    lines = dict(_true_lines(file.data))
    for at, text in lines.items():
        known = _numbers(sample, [text]) != [-1]
        if text and documents.get(at) != text:
            said = documents.get(at, rejects.get(at))
            yield Finding("neighbour" if known else "silent", f"the line at {at} is JSON, and read as {said!r:.80}")
        elif text and not known:
            yield excuse("no checksum")
        elif not text and at not in documents and at not in rejects:
            yield Finding("silent", f"the line at {at} is neither a document nor a reject")
    for at in sorted((documents.keys() | rejects.keys()) - lines.keys()):
        yield Finding("phantom" if at in documents else "alarm", f"no line begins at {at}")


# Rows of Parquet.


def has_footer(sample: Sample, file: Patchwork) -> bool:
    """Whether the end of a file is as it was."""
    return file.data.endswith(sample.data[sample.footer :])


def has_magic(sample: Sample, file: Patchwork) -> bool:
    """Whether a file begins as it did."""
    return file.data.startswith(sample.data[:4])


def _judge_rows(sample: Sample, file: Patchwork, seen: Seen) -> Iterator[Finding]:
    known = has_magic(sample, file)
    if not known or not has_footer(sample, file):  # all or nothing: one reject for the file will do
        found = set(_numbers(sample, [row.said for row in seen.documents]))
        if len(found - {-1}) < len(sample.records) and not seen.rejects:
            yield excuse("footer") if known else Finding("silent", "the first bytes are broken, and no reject says so")
        if not known and any(is_rubbish(row.said) for row in seen.documents):
            yield Finding("phantom", f"{seen.documents[0].said[:80]!r}")
        return
    texts, rejects = dict(seen.documents), dict(seen.rejects)
    broken = [(row, record) for row, record in enumerate(sample.records) if texts.get(row) != record.text]
    intact = {row for row, each in broken if file.data[each.begin : each.end] == sample.data[each.begin : each.end]}
    yield from _name("neighbour", "{} intact, and lost or changed", sorted(intact))
    others = [row for row, _ in broken if row not in intact]
    yield from _name("silent", "{} in no table", [row for row in others if row not in texts.keys() | rejects.keys()])
    changed = [row for row in others if row in texts.keys() - rejects.keys()]
    moved = [row for row in changed if _numbers(sample, [texts[row]]) != [-1]]
    if changed and not sample.rules.checked:
        yield excuse("no checksum")
    elif moved:  # a page of another row group is where the footer says, with its checksum
        yield excuse("whole units")
    if sample.rules.checked:
        changed = [row for row in changed if row not in moved]
        yield from _name("silent", "{} changed, and no reject says so", changed)
    told = Counter(at for at, _ in (*seen.documents, *seen.rejects))
    twice = [row for row, count in told.items() if count > 1 or row >= len(sample.records)]
    if twice:
        yield Finding("alarm", f"rows {twice[:5]} are told of twice, or do not exist")


# Files that are one document.


def _judge_file(sample: Sample, file: Patchwork, seen: Seen) -> Iterator[Finding]:
    (record,) = sample.records
    texts = [row.said for row in seen.documents]
    if texts == [record.text]:
        return
    if file.data == sample.data:
        yield Finding("neighbour", f"the file is intact, and read as {texts!r:.80}")
    elif not seen.rejects:
        if texts and not sample.rules.checked:
            yield excuse("no checksum")
        else:
            yield Finding("silent", f"the file is broken, and read as {texts!r:.80}")
    if sample.rules.checked and any(map(is_rubbish, texts)):
        yield Finding("phantom", f"{texts!r:.80}")
