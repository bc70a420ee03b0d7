"""What the defaults of `quilts` are worth where little stolen text stands in much else: floors for both directions.

How they were chosen, and the figures: docs/quilts.md.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from padded_sites import INNOCENTS, THIEVES, plant_padded
from real_pages import FILES, Page, read_debian, read_wiki
from test_planted_sites import judge, pan

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not all(path.exists() for path in FILES), reason="the shared data is not here"),
]
FLOORS = {"template": 0.93, "generated": 0.9, "woven-60": 0.93, "woven-70": 0.3}
"""Of each kind, by the beginning of its name. A template of 80 % in pieces between the paragraphs hides nearly all
pages, so that kind has no floor."""
IN_DEBIAN = {"template": 0.3, "generated": 0.8}
"""The templates made of Debian's manuals are in part on other pages, too, and so sources of their own. In pieces they
hide most pages."""


@pytest.mark.parametrize(("name", "read"), [("pan", pan), ("wiki", read_wiki), ("debian", read_debian)])
def test_little_stolen_text_is_found_and_quotations_are_not(
    name: str, read: Callable[[], list[Page]], tmp_path: Path
) -> None:
    pages = plant_padded(name, read(), 1)
    _, verdicts, found = judge(pages, tmp_path)
    floors = IN_DEBIAN if name == "debian" else FLOORS
    for kind in THIEVES:
        floor = next((least for begin, least in floors.items() if kind.startswith(begin)), None)
        if floor is not None:
            assert found[kind] >= floor * verdicts[kind].total(), (kind, verdicts[kind])
    innocent = sum(verdicts[kind].total() for kind in INNOCENTS)
    assert sum(found[kind] for kind in INNOCENTS) <= (0.05 if name == "debian" else 0.02) * innocent, verdicts
    assert found["standing"] <= 0.01 * verdicts["standing"].total()
