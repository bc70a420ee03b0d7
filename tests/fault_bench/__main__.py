"""`python -m fault_bench KIND SEED NUMBER`, or with a case as it was printed: tries it again, and a smaller one."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from faulty import peruse

from fault_bench.cases import Case, base, draw_case, shrink, write_case
from fault_bench.guard import Guard
from fault_bench.verdicts import EXCUSED
from unquilt.errors import InputError


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def main(arguments: list[str]) -> None:
    if len(arguments) == 3:
        kind, seed, number = arguments
        case = draw_case(kind, int(seed), int(number))
    else:
        case = Case.parse(" ".join(arguments))
    with tempfile.TemporaryDirectory() as folder, Guard(Path(folder)) as guard:
        sorts = {finding.sort for finding in guard.try_case(case)} - {EXCUSED}
        if sorts:
            case = shrink(case, lambda smaller: bool(sorts & {finding.sort for finding in guard.try_case(smaller)}))
        say(case)
        for finding in guard.try_case(case):
            say(f"  {finding.sort}: {finding.what}")
    records = base(case.kind, case.seed).samples[case.file].records
    say("records:", *(f"{number}:{record.begin}-{record.end}" for number, record in enumerate(records)))
    _show(case, Path(tempfile.mkdtemp(prefix="fault-bench-")))


def _show(case: Case, folder: Path) -> None:
    given = write_case(case, folder)
    say(f"written to {given}")
    try:
        found = peruse(given)
    except InputError as error:
        say(f"refused: {error}")
        return
    for row in found.rejects:
        say(f"  rejected {Path(row['file']).name} {row['offset']} {row['reason']}: {row['detail']}")
    for row in found.documents:
        if Path(row["file"]).name == case.file:
            say(f"  document {row['offset']} {row['text'][:40]!r}")
    say("skipped:", found.skipped)


if __name__ == "__main__":
    main(sys.argv[1:])
