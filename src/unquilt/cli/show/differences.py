"""How two texts as one are drawn on the terminal: deletions and insertions."""

from __future__ import annotations

from dataclasses import dataclass

from unquilt.cli.show.page import Pens
from unquilt.cli.terminal.output import use_colour
from unquilt.results.differences import DELETED
from unquilt.results.marks import NO_PATCH


@dataclass(frozen=True)
class DiffPens(Pens):
    """Deletions and insertions, in red and green, or in brackets where there are no colours."""

    @classmethod
    def choose(cls) -> DiffPens:
        return cls(("97;41", "30;42") if use_colour() else ())

    def ends(self, rank: int) -> tuple[str, str]:
        if rank == NO_PATCH:
            return "", ""
        if self.codes:
            return ("-", "") if rank == DELETED else ("+", "")
        return ("[-", "-]") if rank == DELETED else ("{+", "+}")
