"""Runs of reworded passages, as they are shown: as runs of passages, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unquilt.cli.show.passages import PassageView
from unquilt.cli.show.views import Facts
from unquilt.cli.terminal.output import count
from unquilt.results import RunFolder


class RewordedView(PassageView):
    """A run of reworded passages: which pairs of documents and of sites share most, and what was not compared."""

    def facts(self, folder: RunFolder) -> dict[str, Any]:
        summary = folder.run.manifest.get("summary", {})
        return super().facts(folder) | {
            "left_out": summary.get("candidates_left_out", 0),
            "boilerplate": (summary.get("boilerplate_words", 0), summary.get("boilerplate_limit", 0)),
            "common_keys": summary.get("common_keys", 0),
        }

    def found(self, facts: Facts) -> Iterator[str]:
        yield from super().found(facts)
        if facts["common_keys"] and not facts["first_pairs"]:
            kinds = count(facts["common_keys"], "pair")
            many = count(facts["parameters"]["max_df"], "document has", "documents have")
            yield f"{kinds} of rare words passed over, which more than {many} (--max-df)"

    def left_out(self, facts: Facts) -> Iterator[str]:
        words, limit = facts["boilerplate"]
        if words:
            many = count(limit, "document has", "documents have")
            yield f"{count(words, 'word')} of boilerplate passed over, which more than {many} (--boilerplate)"
        if facts["left_out"]:
            most = count(facts["parameters"]["max_candidates"], "document")
            yield f"{count(facts['left_out'], 'pair')} not aligned: one is with at most {most} (--max-candidates)"

    def sought(self, asked: Mapping[str, Any]) -> str:  # noqa: ARG002
        return "a reworded passage"

    def selections(self, where: str) -> dict[str, str]:
        return {f'unquilt show {where} passages --where "similarity < 0.7"': "what was reworded most"}
