"""What inputs are when a run begins, and whether they still are that when they are read, and when the run goes on.

Nothing is read for this: a file is told by its size and the time when it was changed, a file at a store by its ETag.
Whoever reads a part of a file digests it (`write.parts`), and the digests of the parts are the digest of the file
(`runs.digests`). They are compared where the system says of a file that it may be another one, although its size and
time are the same, and where a run goes on with a file of another time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from unquilt.corpus.find.inputs import Watch, fail, measure_input, nobody
from unquilt.corpus.sources import Seen, Source, state
from unquilt.errors import InputChangedError, InputError
from unquilt.guard import Each, here
from unquilt.remote.files import RemoteFile, measure
from unquilt.remote.names import is_url, localise
from unquilt.runs.digests import digest_file, tell_time


def unread(path: str | Path) -> Source:
    """A source for a file that a run depends on but reads no documents from, such as a lexicon."""
    path = str(localise(path))
    return Source(path, measure_input(path), "unread")


def fingerprint(source: Source) -> Seen:
    """What a file is now, with its digest: all of it is read.

    Raises `InputChangedError` if the file no longer has `source.size` bytes: the two belong together in the manifest.
    """
    try:
        before = state(os.stat(source.path))  # noqa: PTH116 - first, so that a change while it is read is noticed, too
        digest = digest_file(source.path)
        source.check_size(measure(source.path))
        return Seen(digest, before)
    except OSError as error:
        fail(error, source.path)


def _see(source: Source) -> Seen:
    """What a file is now; nothing is read of it."""
    try:
        if is_url(source.path):
            with RemoteFile(source.path) as remote:
                source.check_size(remote.size)
                return Seen("", (), remote.version)
        there = os.stat(source.path)  # noqa: PTH116
        source.check_size(there.st_size)
        return Seen("", state(there), tell_time(there.st_mtime_ns))
    except OSError as error:
        fail(error, source.path)


def identified(sources: Sequence[Source], watch: Watch = nobody, each: Each = here) -> list[Source]:
    """The sources with what they are now. Files of temporary folders, whose times say nothing, and files that are not
    read as documents, are digested; `each` calls a function in other processes."""
    wanted = [s for s in sources if (s.alias or s.kind == "unread") and not is_url(s.path)]
    wanted = [source for source in wanted if source.seen is None or not source.seen.sha256]
    seen = {id(source): source.seen or _see(source) for source in sources}
    if wanted:
        with watch("fingerprint", sum(source.size for source in wanted), "B") as step:
            for source, found in zip(wanted, each(fingerprint, wanted), strict=True):
                seen[id(source)] = found
                step(source.size)
    return [replace(source, seen=seen[id(source)]) for source in sources]


def unchanged(sources: Sequence[Source]) -> None:
    """Raise `InputChangedError` if a source may have changed since it was `identified`.

    Costs one `stat` a file. One of the same size and time, of which the system says something else, such as one with
    another link, is read again if its digest is known.
    """
    for source in sources:
        if source.seen is None:
            continue
        try:
            now, known = _see(source), source.seen.sha256
            if now.state == source.seen.state and (now.state or now.version == source.seen.version):
                continue
            untouched = bool(now.state) and source.seen.version in ("", now.version)
            if untouched and (not known or fingerprint(source).sha256 == known):
                continue
        except InputError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                said = f"{source.name}: the file was removed after the run began"
                raise InputChangedError(f"{said}; run again when nothing changes the inputs") from None
            raise
        raise changed(source)


def changed(source: Source) -> InputChangedError:
    """The complaint about an input that is not what it was."""
    return InputChangedError(
        f"{source.name}: the file changed while it was read; run again when nothing changes the inputs"
    )


def is_as_seen(source: Source) -> bool:
    """Whether the system says of a file what it said when the run began."""
    if is_url(source.path) or source.seen is None:
        return True
    try:
        return state(os.stat(source.path)) == source.seen.state  # noqa: PTH116
    except OSError:
        return False
