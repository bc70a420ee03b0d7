"""What a deletion would take, by group, and the alarms before it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner

import unquilt as uq
from unquilt.cli import cli
from unquilt.errors import RunError


def make_pages() -> pa.Table:
    """Pages, a mirror of half of them, and an error page of many sites."""
    random = Random(3)
    texts = [" ".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=60)) for _ in range(60)]
    own = [{"text": text, "source": "own", "url": f"http://own{n % 7}.org/{n}"} for n, text in enumerate(texts)]
    copies = [{"text": text, "source": "copy", "url": f"http://copy.org/{n}"} for n, text in enumerate(texts[:30])]
    errors = [{"text": "not found " * 9, "source": None, "url": f"http://e{n % 15}.org/{n}"} for n in range(150)]
    pages = [page | {"id": f"p{n}", "name": f"name {n}"} for n, page in enumerate([*own, *copies, *errors])]
    return pa.Table.from_pylist(pages)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> uq.Run:
    return uq.neardups(make_pages(), tmp_path_factory.mktemp("audit") / "run", threshold=0.8)


def test_groups_are_counted(run: uq.Run) -> None:
    keep = {row["doc"]: row["keep"] for row in run.kept.to_pylist()}
    found: dict[str, dict[str, Any]] = {}
    for row in run.audit.to_pylist():
        found.setdefault(row["by"], {})[row["value"]] = row["documents"], row["dropped"], row["dropped_words"]
    pages = run.documents.to_pylist()
    for by in ("source", "domain"):
        documents = Counter(page[by] or "" for page in pages)
        dropped = Counter(page[by] or "" for page in pages if not keep[page["doc"]])
        words = Counter[str]()
        for page in pages:
            words[page[by] or ""] += 0 if keep[page["doc"]] else page["words"]
        expected = {value: (documents[value], dropped[value], words[value]) for value in documents}
        assert found[by] == {value: row for value, row in expected.items() if by != "domain" or row[1]}
    assert "name" not in found  # 240 values do not tell sources apart
    assert found["words"] == {"0 to 49 words": (150, 149, 149 * 18), "50 to 199 words": (90, 30, 1800)}
    assert found["kept_instead"] == {"p90": (150, 149, 0)}
    assert {row["sites"] for row in run.audit.to_pylist() if row["by"] == "kept_instead"} == {15}


def test_nothing_is_written_over_an_alarm(run: uq.Run, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"because of 4 alarms: .*copy\.org would lose 30 of 30") as refused:
        run.export(tmp_path / "kept.jsonl", kept=True)
    assert "p90 would be kept for 149 documents of 15 sites" in str(refused.value)
    assert str(refused.value).endswith("look at run.audit, and say accept=True if that is right")
    assert not list(tmp_path.iterdir())
    told = CliRunner().invoke(cli, ["export", str(run.path), "--kept", "-o", str(tmp_path / "kept.jsonl")])
    assert told.exit_code == 1
    assert "--accept" in told.output
    assert "\nAlarm: " in CliRunner().invoke(cli, ["show", str(run.path)]).output
    accepted = ["export", str(run.path), "--kept", "--accept", "-o", str(tmp_path / "kept.jsonl")]
    assert "61 kept documents" in CliRunner().invoke(cli, accepted).output
    wrong = CliRunner().invoke(cli, ["export", str(run.path), "kept", "--accept", "-o", str(tmp_path / "all.jsonl")])
    assert wrong.exit_code == 2
    assert run.export(tmp_path / "dropped.jsonl", dropped=True).rows == 179


def test_the_share_is_up_to_the_user(tmp_path: Path) -> None:
    random = Random(4)
    texts = [" ".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=60)) for _ in range(40)]
    run = uq.neardups(pa.table({"text": texts + texts[:10], "source": ["s"] * 50}), tmp_path / "run", threshold=0.8)
    assert run.export(tmp_path / "kept.jsonl", kept=True).rows == 40
    with pytest.raises(RunError, match=r"1 alarm: source s would lose 10 of 50 documents \(20%\)"):
        run.export(tmp_path / "again.jsonl", kept=True, alarm=0.1)


def test_loose_clusters_raise_an_alarm(tmp_path: Path) -> None:
    """Without a threshold, a chain drops pages that have little in common with the one that is kept."""
    words = [f"w{n}" for n in range(900)]
    chain = [" ".join(words[step : step + 300]) for step in range(240)]
    run = uq.neardups(pa.table({"text": chain}), tmp_path / "run")
    lost = {row["value"]: row["dropped"] for row in run.audit.to_pylist() if row["by"] == "pair"}
    loose = sum(row["similarity"] < 0.5 for row in run.kept.to_pylist() if not row["keep"])
    assert lost["similarity below 0.5"] == loose
    assert loose > 5
    with pytest.raises(RunError, match=r"are unlike the one kept: similarity below 0\.5"):
        run.export(tmp_path / "kept.jsonl", kept=True)
