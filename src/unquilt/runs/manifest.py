"""The manifest: what a run was asked to compute, of what, with what. Its identity, and how two of them differ.

Results depend on the analysis, its parameters, the inputs (their order, sizes and checksums) and the versions of
unquilt and of all else that can change results; a hash of these is the fingerprint of the run. The rest is for
information: engine, threads and memory (`settings`), the machine, times, and the versions of Python and pyarrow, which
do not change results. The host's name is not recorded.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from unquilt.errors import Advice, InputChangedError, RunError, damaged
from unquilt.runs.markers import FACTS, MARKER
from unquilt.runs.shapes import Misfit, a_count, a_duration, a_list, a_mapping, a_path, a_record, a_text, anything
from unquilt.runs.storage import check_name, read_own, shown, write_atomically

FORMAT = 1
_TIME = "time "
MANIFEST = "manifest.json"
PIECES, SPILL = ".pieces", ".spill"
"""Folders of a run that is not finished."""
ADVICE = Advice(
    "choose another folder, or pass options=JobOptions(overwrite=True)", "choose another folder with -o, or --overwrite"
)

_VERSIONS_NOT_COMPARED = {"python", "pyarrow"}
_OF_ANY_FORMAT = {"format": a_count, "unquilt": a_text, "analysis": a_text, "fingerprint": a_text}
_STAGE = a_record(
    {"seconds": a_duration, "peak_memory": a_count, "rows": a_count, "bytes": a_count, "counters": a_mapping(a_count)},
    {"started": a_text},
)
_STATE = a_record({"fingerprint": a_text}, others=a_count)
_SHAPE = a_record(
    {
        **_OF_ANY_FORMAT,
        "parameters": a_mapping(anything),
        "inputs": a_list(a_record({"path": a_path, "size": a_count, "sha256": a_text}, {"version": a_text})),
        "versions": a_mapping(a_text),
        "settings": a_mapping(anything),
        "machine": a_mapping(anything),
        "created": a_text,
        "stages": a_mapping(_STAGE, check_name),
    },
    {"finished": a_text, "summary": FACTS, "done": a_mapping(MARKER, check_name), "earlier": a_list(_STATE)},
)
_OF_THE_END = ("finished", "summary", "done")


@dataclass(frozen=True)
class InputRecord:
    """One input as the run saw it when it began: its path as given, its size in bytes, and its digest (`digests`), if
    that is known by then. Else its version: when it was changed, or what a store calls its bytes (ETag). The digest of
    a file of this machine is noted then when it was read, and is no part of what the run is."""

    path: str
    size: int
    sha256: str
    version: str = ""

    def describe(self) -> dict[str, Any]:
        """As it stands in a manifest."""
        return {name: value for name, value in asdict(self).items() if value or name != "version"}


def now() -> str:
    """The time in UTC, to the second, as the manifest has it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def new_manifest(
    analysis: str,
    parameters: Mapping[str, Any],
    inputs: Sequence[InputRecord],
    versions: Mapping[str, str],
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """Make the manifest of a run that begins now."""
    known = {"unquilt": unquilt_version(), "python": platform.python_version(), "pyarrow": pa.__version__}
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "unquilt": known["unquilt"],
        "analysis": analysis,
        "parameters": json.loads(json.dumps(dict(parameters), allow_nan=False)),
        "inputs": [record.describe() for record in inputs],
        "versions": {**known, **versions},
        "settings": dict(settings),
        "machine": _machine(),
        "created": now(),
        "stages": {},
    }
    manifest["unquilt"] = manifest["versions"]["unquilt"]
    manifest["fingerprint"] = _fingerprint(manifest)
    return manifest


def unquilt_version() -> str:
    try:
        return importlib.metadata.version("unquilt")
    except importlib.metadata.PackageNotFoundError:  # run from a source folder that was never installed
        return "unknown"


def _machine() -> dict[str, Any]:
    return {
        "cpus": os.cpu_count(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def _compared_versions(manifest: Mapping[str, Any]) -> dict[str, Any]:
    return {name: v for name, v in manifest["versions"].items() if name not in _VERSIONS_NOT_COMPARED}


def identify_inputs(records: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """What tells inputs from others: their versions, of those that have none their digests."""
    return [record | {"sha256": ""} if record.get("version") else record for record in map(dict, records)]


def _fingerprint(manifest: Mapping[str, Any]) -> str:
    parts = [manifest[name] for name in ("format", "analysis", "parameters")]
    inputs = identify_inputs(manifest["inputs"])
    identity = json.dumps([*parts, inputs, _compared_versions(manifest)], sort_keys=True)
    return hashlib.sha256(identity.encode()).hexdigest()


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Return the manifest in `folder`, or None if there was not written by unquilt.

    Raises RunError if it is damaged, so that callers need not check what it holds.
    """
    try:
        manifest = _load(folder)
    except OSError as error:
        raise RunError(f"{shown(folder / MANIFEST)} cannot be read: {error.strerror}") from error
    if manifest is None:
        return None
    try:
        a_record(_OF_ANY_FORMAT)(manifest, "")
        if manifest["format"] == FORMAT:
            _SHAPE(manifest, "")
            missing = [name for name in _OF_THE_END if name not in manifest]
            if 0 < len(missing) < len(_OF_THE_END):
                raise Misfit(f"{missing[0]} is missing")
    except Misfit as misfit:
        raise damaged(shown(folder / MANIFEST), str(misfit)) from misfit
    return manifest


def is_ours(folder: Path) -> bool:
    """Whether unquilt made this folder, in whatever state it is now; False for a link."""
    try:
        return not folder.is_symlink() and _load(folder) is not None
    except (OSError, RunError):
        return False


def _load(folder: Path) -> dict[str, Any] | None:
    try:
        manifest = json.loads(read_own(folder / MANIFEST))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, ValueError, RecursionError):
        return None
    known = isinstance(manifest, dict) and manifest.keys() >= _OF_ANY_FORMAT.keys()
    return manifest if known else None


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Replace the manifest in `folder`. All of it is ASCII: a file name need not be valid Unicode."""
    members = ",\n ".join(f"{json.dumps(name)}: {_encode(name, value)}" for name, value in manifest.items())
    write_atomically(folder / MANIFEST, f"{{\n {members}\n}}\n".encode())


def _encode(name: str, value: Any) -> str:
    """JSON with a line for each entry. A manifest is written after every stage, and that of a crawl on disk has a
    record of every file: these never change, so the last ones are remembered."""
    global _inputs
    if name != "inputs":
        return _lines(value)
    if _inputs[0] is not value:
        _inputs = (value, _lines(value))
    return _inputs[1]


_inputs: tuple[Any, str] = (None, "")


def _lines(value: Any) -> str:
    encode = partial(json.dumps, allow_nan=False)
    if value and isinstance(value, dict):
        return "{\n  " + ",\n  ".join(f"{encode(name)}: {encode(each)}" for name, each in value.items()) + "\n }"
    if value and isinstance(value, list):
        return "[\n  " + ",\n  ".join(map(encode, value)) + "\n ]"
    return encode(value)


def refuse_other_run(path: Path, older: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Raise a RunError or InputChangedError that says what differs, unless `older` is the run that is wanted."""
    if older["format"] != FORMAT:
        raise RunError(f"{shown(path)} has format {older['format']}, this unquilt writes {FORMAT}", advice=ADVICE)
    differences = list(_differences(older, wanted))
    if differences:
        raise RunError(f"{shown(path)} holds another run: {'; '.join(differences)}", advice=ADVICE)
    _refuse_other_inputs(path, older["inputs"], wanted["inputs"])
    if older["fingerprint"] != _fingerprint(older):
        raise RunError(f"{shown(path)} holds another run: its manifest was edited", advice=ADVICE)


def _differences(older: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    if older["analysis"] != wanted["analysis"]:
        yield f"analysis was {_value(older['analysis'])} and is now {_value(wanted['analysis'])}"
        return  # the parameters of another analysis tell nothing more
    pairs = [(older["parameters"], wanted["parameters"]), (_compared_versions(older), _compared_versions(wanted))]
    for before, after in pairs:
        for name in {**before, **after}:
            was, is_now = (_value(side[name]) if name in side else "not set" for side in (before, after))
            if was == is_now:
                continue
            what = name.removesuffix("_digest")
            if what != name and before.get(what) == after.get(what):
                yield f"{what} named other pages"
            elif what == name:
                yield f"{shown(name)} was {was} and is now {is_now}"


def _value(value: Any) -> str:
    text = shown(value) if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return text or "empty"


def _refuse_other_inputs(path: Path, older: Sequence[dict[str, Any]], wanted: Sequence[dict[str, Any]]) -> None:
    before, after = ([record["path"] for record in records] for records in (older, wanted))
    if before != after:
        raise RunError(f"{shown(path)} holds a run over other inputs: {_list_difference(before, after)}", advice=ADVICE)
    for old, new in zip(older, wanted, strict=True):
        for what in ("size", "version", "sha256"):
            was, is_now = old.get(what, ""), new.get(what, "")
            if was == is_now or (what != "size" and _is_same(old, new)):
                continue
            change = f"its {what} was {was} and is now {is_now}"
            if what == "version" and was.startswith(_TIME) and is_now.startswith(_TIME):
                change = f"it was last changed at {was.removeprefix(_TIME)}, and now at {is_now.removeprefix(_TIME)}"
            raise InputChangedError(f"{shown(new['path'])} changed since {shown(path)} began: {change}", advice=ADVICE)


def _is_same(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether two records of one size are of the same bytes. A file that was read, and whose time alone is another, is
    read again for this."""
    if old.get("version", "") == new.get("version", "") and (old.get("version") or old["sha256"] == new["sha256"]):
        return True
    if not (old["sha256"] and old.get("version", _TIME).startswith(_TIME)):
        return False
    from unquilt.runs.digests import digest_file

    try:
        return bool(old["sha256"] == (new["sha256"] or digest_file(new["path"])))
    except OSError:
        return False


def _list_difference(before: list[str], after: list[str]) -> str:
    """Say the first difference of two lists of paths, and how many there are."""
    known, now_known = set(before), set(after)
    gone = [path for path in before if path not in now_known]
    added = [path for path in after if path not in known]
    words = [f"{shown(some[0])} {what}" for some, what in ((gone, "is missing"), (added, "is new")) if some]
    more = len(gone) + len(added) - len(words)
    words += [f"{more} more"] if more else []
    return ", ".join(words) or "the same files in another order"
