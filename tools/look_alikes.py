"""Writes `native/kernels/src/text/look_alikes.rs`: letters of one script that look like a letter of another.

    python tools/look_alikes.py TABLES > native/kernels/src/text/look_alikes.rs

TABLES is the file `src/tables.rs` of the crate unicode-security (0.1.3 is of Unicode 18.0), which has the confusables
of Unicode's Technical Standard 39. Of these, we need those between letters of European alphabets, and of the letters
that pass for them. Unicode's data may be used and changed under the Unicode License V3 (SPDX: Unicode-3.0).

A letter of script T looks like a letter of script S if both have the same prototype, of one character, and the same
case. Letters of S are the plain ones: ASCII, Greek without accents, Cyrillic up to U+045F. If several fit, the first
counts.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

PLAIN = {
    "LATIN": [*range(0x41, 0x5B), *range(0x61, 0x7B)],
    "GREEK": [*range(0x391, 0x3AA), *range(0x3B1, 0x3CA)],
    "CYRILLIC": range(0x400, 0x460),
}
OTHERS = (
    *("ARMENIAN", "CANADIAN", "CARIAN", "CHEROKEE", "COPTIC", "DESERET", "ELBASAN", "GOTHIC", "LISU", "LYCIAN"),
    *("LYDIAN", "OLD ITALIC", "OSAGE", "TIFINAGH", "VAI", "WARANG CITI"),
)
ROW = re.compile(r"\('\\u\{([0-9a-f]+)\}',\s+&\[([^\]]*)\]\)")
POINT = re.compile(r"'\\u\{([0-9a-f]+)\}'")


def read_prototypes(path: Path) -> dict[int, int]:
    """The characters whose prototype is one other character."""
    text = path.read_text()
    table = text[text.index("pub mod confusable_detection") : text.index("pub mod potential_mixed_script_confusable")]
    found = {}
    for source, target in ROW.findall(table):
        points = POINT.findall(target)
        if len(points) == 1:
            found[int(source, 16)] = int(points[0], 16)
    return found


def script_of(code: int) -> str | None:
    """The script of a letter, by its name; None if it is none of ours."""
    if unicodedata.category(chr(code)) not in ("Lu", "Ll", "Lo") or unicodedata.normalize("NFKC", chr(code)) != chr(
        code
    ):
        return None
    name = unicodedata.name(chr(code), "")
    return next((script for script in (*PLAIN, *OTHERS) if name.startswith(f"{script} ")), None)


def rows(prototypes: dict[int, int]) -> Iterator[tuple[int, list[int]]]:
    """Each letter, and the letters of the plain alphabets that it looks like, 0 where there is none."""
    alike: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for script, codes in PLAIN.items():
        for code in codes:
            alike[script, prototypes.get(code, code)].append(code)
    for code in range(0x41, 0x20000):
        own = script_of(code)
        if own is None:
            continue
        case = unicodedata.category(chr(code))
        targets = []
        for script in PLAIN:
            fitting = [] if script == own else alike.get((script, prototypes.get(code, code)), [])
            fitting = [each for each in fitting if case == "Lo" or unicodedata.category(chr(each)) == case]
            targets.append(fitting[0] if fitting else 0)
        if any(targets):
            yield code, targets


def main() -> None:
    prototypes = read_prototypes(Path(sys.argv[1]))
    sys.stdout.write(
        "//! Letters of one script that look like a letter of another. Written by `tools/look_alikes.py` from the data "
        "of\n//! Unicode's Technical Standard 39 (Unicode License V3).\n\n"
        "/// A letter, and the Latin, Greek and Cyrillic letter that it looks like; NUL where there is none.\n"
        "#[rustfmt::skip]\npub const LOOK_ALIKES: &[(char, [char; 3])] = &[\n"
    )
    entries = []
    for code, targets in rows(prototypes):
        alike = ", ".join(f"'{chr(each)}'" if each else "'\\0'" for each in targets)
        entries.append(f"('{chr(code)}', [{alike}]),")
    for entries_of_line in batched(entries):
        sys.stdout.write(f"    {' '.join(entries_of_line)}\n")
    sys.stdout.write("];\n")


def batched(entries: list[str]) -> Iterator[list[str]]:
    """Four at a time, as many as fit on a line."""
    return (entries[begin : begin + 4] for begin in range(0, len(entries), 4))


if __name__ == "__main__":
    main()
