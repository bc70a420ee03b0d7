"""Runs of reuse, as they are shown: what was copied most."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unquilt.cli.show.folders import Folder
from unquilt.cli.show.views import Facts, View, read_top
from unquilt.cli.terminal.output import count, cut, terminal_width
from unquilt.tables import OBJECTS, STOP_CHUNKS

_MOST_OBJECTS = 3
_EXAMPLE = 60


class DiscoverView(View):
    """A run of discovery."""

    def facts(self, folder: Folder) -> dict[str, Any]:
        summary = folder.run.manifest.get("summary", {})
        known = {name: summary.get(name, 0) for name in ("recursive", "without_url")}
        return known | {"leading": read_top(folder, OBJECTS.name, _MOST_OBJECTS)}

    def found(self, facts: Facts) -> Iterator[str]:
        objects, stopped = (facts["tables"][table.name]["rows"] for table in (OBJECTS, STOP_CHUNKS))
        yield f"{count(objects, 'object')} occur again and again; {count(stopped, 'stop chunk')} left out"
        yield from dropped(facts)
        if not objects:
            asked = facts["parameters"]
            times = f"more than {asked['chunk_threshold']} times (chunks) or {asked['file_threshold']} times (files)"
            yield f"Nothing occurs {times}, on at least {count(asked['min_sites'], 'site')}. Try lower thresholds."
        if leading := facts.get("leading"):
            yield "What matters most:"
            yield from (f"  {describe_object(row)}" for row in leading)


def dropped(facts: Facts) -> Iterator[str]:
    """What did not take part."""
    if facts["recursive"]:
        which = "whose URLs look like a crawler that went round in circles"
        yield f"{count(facts['recursive'], 'document')} dropped, {which}"


def describe_object(row: Facts) -> str:
    """An object in a line."""
    where = f"{count(row['documents'], 'document')}, {count(row['sites'], 'site')}"
    width = (terminal_width() or 2 * _EXAMPLE) - _EXAMPLE
    example = cut(row["example"], max(_EXAMPLE, width))
    return f"{row['kind']} of {count(row['length'], 'character')} in {where}: {example}"
