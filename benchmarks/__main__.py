"""`python -m benchmarks [NAME …]`: all of them without a name. Writes dated records."""

from __future__ import annotations

import sys

from benchmarks import (
    cluster,
    columns,
    earlier,
    evidence,
    ingest,
    medium,
    neardups,
    page,
    passages,
    phrases,
    reading,
    reuse,
    reworded,
    scale,
    shapes,
    sites,
    spark,
    template,
    threshold,
)
from benchmarks import filter as filters
from benchmarks.record import Record, command


def start(record: Record) -> None:
    """How long the help takes: the first thing a newcomer waits for."""
    record.add(
        "unquilt --help", min(command("--help")[0] for _ in range(5)), "s", floor="at most 0.3", note="best of 5"
    )


BENCHMARKS = {
    "start": start,
    "ingest": ingest.measure,
    "columns": columns.measure,
    "reading": reading.measure,
    "large": ingest.measure_large,
    "medium": medium.measure,
    "earlier": earlier.measure,
    "cluster": cluster.measure,
    "spark": spark.measure,
    "growth": spark.measure_growth,
    "neardups": neardups.measure,
    "threshold": threshold.measure,
    "evidence": evidence.measure,
    "repeats": evidence.measure_repeats,
    "passages": passages.measure,
    "copydetect": passages.measure_rival,
    "phrases": phrases.measure,
    "reworded": reworded.measure,
    "shapes": shapes.measure,
    "scale": scale.measure,
    "filter": filters.measure,
    "reuse": reuse.measure,
    "page": page.measure,
    "sites": sites.measure,
    "million": scale.measure_neardups,
    "million-phrases": scale.measure_phrases,
    "million-template": template.measure,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or [name for name in BENCHMARKS if name != "earlier"]:
        if name not in BENCHMARKS:
            raise SystemExit(f"no benchmark {name}; there are: {', '.join(BENCHMARKS)}")
        found = Record()
        BENCHMARKS[name](found)
        print(f"written: {found.write(name)}")
