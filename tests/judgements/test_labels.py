"""Samples, labels, shares and agreement: what is judged is drawn fairly, kept durably and counted right."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from snapshots import Snapshots

import unquilt as uq
from unquilt.errors import ParameterError, StorageError
from unquilt.judgements import labels
from unquilt.judgements.labels import LabelFile, Sample, check_judge, read_categories
from unquilt.judgements.preparation import prepare, want_sample
from unquilt.judgements.results import Z, find_interval, measure_agreement, sum_up, tell, write_labels
from unquilt.judgements.samples import draw
from unquilt.results.folders import RunFolder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A corpus of a hundred small documents."""
    place = tmp_path_factory.mktemp("judged") / "corpus"
    texts = [f"document number {number} says something" for number in range(100)]
    uq.ingest(pa.table({"id": [f"d{number}" for number in range(100)], "text": texts}), place)
    return RunFolder.open(place)


@pytest.fixture
def file(tmp_path: Path) -> LabelFile:
    return LabelFile(tmp_path / "labels.sqlite")


def ask(folder: RunFolder, file: LabelFile, **asked: str) -> Sample:
    return prepare(file, folder, want_sample("corpus", folder, "documents", asked))


class TestSamples:
    def test_smaller_ones_are_the_beginning_of_larger_ones(self, folder: RunFolder) -> None:
        ten, all_ = draw(folder, "documents", 10, 1), draw(folder, "documents", 1_000, 1)
        assert ten.items == all_.items[:10]
        assert (ten.population, len(all_.items)) == (100, 100)
        assert {item.key["doc"] for item in all_.items} == set(range(100))

    def test_seeds_draw_different_ones_in_random_order(self, folder: RunFolder) -> None:
        one, other = ([item.key["doc"] for item in draw(folder, "documents", 30, seed).items] for seed in (1, 2))
        assert one != other
        assert one != sorted(one)

    def test_they_depend_on_ids_and_not_on_numbers(self, folder: RunFolder, tmp_path: Path) -> None:
        texts = [f"document number {number} says something" for number in range(100)]
        backwards = pa.table({"id": [f"d{n}" for n in reversed(range(100))], "text": texts[::-1]})
        uq.ingest(backwards, tmp_path / "backwards")
        ours, theirs = (
            [item.names["id"] for item in draw(each, "documents", 20, 7).items]
            for each in (folder, RunFolder.open(tmp_path / "backwards"))
        )
        assert ours == theirs

    def test_they_can_be_of_some_rows(self, folder: RunFolder) -> None:
        some = draw(folder, "documents", 1_000, 1, "doc < 20")
        last = draw(folder, "documents", 1_000, 1, "doc < 20", 5, "-doc")
        assert sorted(item.key["doc"] for item in last.items) == [15, 16, 17, 18, 19]
        assert last.population == 5
        assert some.population == len(some.items) == 20

    def test_every_row_is_as_likely_as_any_other(self, folder: RunFolder) -> None:
        drawn = [item.key["doc"] for seed in range(200) for item in draw(folder, "documents", 10, seed).items]
        counts = [drawn.count(doc) for doc in range(100)]
        assert min(counts) > 3
        assert max(counts) < 45

    @pytest.mark.parametrize("size", [0, 100_001])
    def test_sizes_out_of_range_are_refused(self, folder: RunFolder, size: int, snapshots: Snapshots) -> None:
        with snapshots.error(ParameterError):
            draw(folder, "documents", size, 1)


class TestLabels:
    def test_a_sample_is_drawn_once(self, folder: RunFolder, file: LabelFile) -> None:
        first = ask(folder, file, sample="5", categories="a,b")
        assert ask(folder, file, sample="5", categories="a,b") == first
        assert ask(folder, file, sample="5", categories="a,c").name != first.name
        assert len(file.samples()) == 2

    def test_judges_do_not_see_each_other_and_can_take_back(self, folder: RunFolder, file: LabelFile) -> None:
        sample = ask(folder, file, sample="3", categories="a,b")
        file.label(sample, 1, "ada", "a", "sure")
        file.label(sample, 2, "ada", "b")
        file.label(sample, 1, "bob", "b")
        assert [(item.category, item.note) for item in file.items(sample.name, "ada")] == [
            ("a", "sure"),
            ("b", ""),
            ("", ""),
        ]
        assert [item.category for item in file.items(sample.name, "bob")] == ["b", "", ""]
        file.label(sample, 1, "ada", "b")
        assert file.undo(sample.name, "ada") == 1
        assert file.undo(sample.name, "ada") == 2
        assert file.undo(sample.name, "ada") is None
        assert [item.category for item in file.items(sample.name, "bob")] == ["b", "", ""]

    def test_what_is_wrong_is_refused(self, folder: RunFolder, file: LabelFile) -> None:
        sample = ask(folder, file, sample="3", categories="a,b")
        for position, judge, category in ((1, "ada", "c"), (4, "ada", "a"), (0, "ada", "a"), (1, " ", "a")):
            with pytest.raises(ParameterError):
                file.label(sample, position, judge, category)
        for given_ in ("a", "a,a", "", ",".join("abcdefghij"), "a,\x00"):
            with pytest.raises(ParameterError):
                read_categories(given_)
        for name in ("", "a/b", "x" * 61, "a\x00b"):
            with pytest.raises(ParameterError):
                check_judge(name)
        assert check_judge(" Ada  Lovelace ") == "Ada Lovelace"

    def test_a_locked_file_is_told_and_nothing_is_lost(
        self, folder: RunFolder, file: LabelFile, monkeypatch: pytest.MonkeyPatch, snapshots: Snapshots
    ) -> None:
        monkeypatch.setattr(labels, "WAIT", 0.05)
        sample = ask(folder, file, sample="3", categories="a,b")
        other = sqlite3.connect(file.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with snapshots.error(StorageError):
            file.label(sample, 1, "ada", "a")
        other.execute("ROLLBACK")
        other.close()
        file.label(sample, 1, "ada", "a")
        assert file.items(sample.name, "ada")[0].category == "a"

    def test_files_of_others_are_told_and_left_alone(self, folder: RunFolder, tmp_path: Path) -> None:
        strange = tmp_path / "strange.sqlite"
        with sqlite3.connect(strange) as opened:
            opened.execute("CREATE TABLE x (y)")
        opened.close()
        junk = tmp_path / "junk.sqlite"
        junk.write_bytes(b"no database" * 1000)
        newer = LabelFile(tmp_path / "newer.sqlite")
        ask(folder, newer, sample="3")
        with sqlite3.connect(newer.path) as opened:
            opened.execute("PRAGMA user_version = 99")
        opened.close()
        for path, said in ((strange, "not a file of labels"), (junk, "damaged"), (newer.path, "newer version")):
            before = path.read_bytes()
            with pytest.raises(StorageError, match=said):
                LabelFile(path).samples()
            with pytest.raises(StorageError, match=said):
                ask(folder, LabelFile(path), sample="3")
            assert path.read_bytes()[40:] == before[40:]

    def test_a_folder_that_cannot_be_written_to_is_told(
        self, folder: RunFolder, tmp_path: Path, snapshots: Snapshots
    ) -> None:
        with snapshots.error(StorageError):
            ask(folder, LabelFile(tmp_path / "nowhere" / "labels.sqlite"), sample="3")

    def test_many_judges_at_once_lose_nothing(self, folder: RunFolder, file: LabelFile) -> None:
        sample = ask(folder, file, sample="10", categories="a,b")

        def judge(name: str) -> None:
            for position in range(1, 11):
                file.label(sample, position, name, "ab"[position % 2])

        threads = [threading.Thread(target=judge, args=(f"judge {number}",)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(file.all_labels(sample.name)) == 40


class TestResults:
    def test_shares_and_agreement(
        self, folder: RunFolder, file: LabelFile, tmp_path: Path, snapshots: Snapshots
    ) -> None:
        sample = ask(folder, file, sample="4", categories="a,b")
        for position, ours, theirs in ((1, "a", "a"), (2, "a", "a"), (3, "b", "b"), (4, "b", "a")):
            file.label(sample, position, "ada", ours)
            file.label(sample, position, "bob", theirs, "x,\ny")
        outcome = sum_up(file, sample)
        assert [(v.judge, [s.items for s in v.shares]) for v in outcome.verdicts] == [("ada", [2, 2]), ("bob", [3, 1])]
        assert [(each.same, each.kappa) for each in outcome.agreements] == [(3, 0.5)]
        assert len(list(tell(outcome))) == 4
        assert write_labels(file, [sample], tmp_path / "labels.jsonl") == 8
        rows = [json.loads(line) for line in (tmp_path / "labels.jsonl").read_text().splitlines()]
        assert {row["label"] for row in rows} == {"a", "b"}
        assert rows[0]["id"] == f"d{rows[0]['doc']}"
        assert write_labels(file, [sample], tmp_path / "labels.csv") == 8
        with snapshots.error(ParameterError):
            write_labels(file, [sample], tmp_path / "labels.txt")

    def test_several_labels_count_each_and_judges_agree_on_all_of_them(
        self, folder: RunFolder, file: LabelFile, tmp_path: Path, snapshots: Snapshots
    ) -> None:
        sample = ask(folder, file, sample="4", categories="a,b,c", several="1")
        assert ask(folder, file, sample="4", categories="a,b,c") != sample
        said = (("a", "a"), ("b,a", "a, b"), ("c,b,a,b", "b,c"), ("c", "a,c"))
        for position, (ours, theirs) in enumerate(said, 1):
            file.label(sample, position, "ada", ours)
            file.label(sample, position, "bob", theirs)
        assert [item.category for item in file.items(sample.name, "ada")] == ["a", "a, b", "a, b, c", "c"]
        assert file.items(sample.name, "ada")[2].labels == ("a", "b", "c")
        outcome = sum_up(file, sample)
        assert [(v.judge, v.labelled, [s.items for s in v.shares]) for v in outcome.verdicts] == [
            ("ada", 4, [3, 2, 2]),
            ("bob", 4, [3, 2, 2]),
        ]
        # By chance they agree on "a" and on "a, b" in 1 of 16 cases each: κ = (2/4 - 2/16) / (1 - 2/16).
        assert [(each.same, each.kappa) for each in outcome.agreements] == [(2, pytest.approx(3 / 7))]
        assert write_labels(file, [sample], tmp_path / "b.jsonl", only="b") == 4
        for given_ in ("", "a,d", "a,"):
            with snapshots.error(ParameterError):
                file.label(sample, 1, "ada", given_)
        with pytest.raises(ParameterError):
            file.label(ask(folder, file, sample="4", categories="a,b,c"), 1, "ada", "a,b")

    @given(st.integers(0, 500), st.integers(0, 500))
    def test_intervals_are_those_of_wilson(self, hits: int, misses: int) -> None:
        trials, z = hits + misses, Z
        low, high = find_interval(hits, trials)
        assert 0 <= low <= (hits / trials if trials else 0.5) <= high <= 1
        for end in (low, high):  # the ends solve (share - end)² = z² · end · (1 - end) / trials
            if trials and 0 < end < 1:
                assert (hits / trials - end) ** 2 == pytest.approx(z * z * end * (1 - end) / trials, abs=1e-9)

    @given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), max_size=30))
    def test_agreement_is_that_of_cohen(self, pairs: list[tuple[str, str]]) -> None:
        ours, theirs = [one for one, _ in pairs], [other for _, other in pairs]
        found = measure_agreement(ours, theirs)
        if not pairs:
            assert found is None
            return
        items = len(pairs)
        observed = Fraction(sum(one == other for one, other in pairs), items)
        chance = sum(Fraction(ours.count(c), items) * Fraction(theirs.count(c), items) for c in "abc")
        if chance == 1:
            assert found is None
        else:
            assert found == pytest.approx(float((observed - chance) / (1 - chance)))


KILLED = """
import sys
from pathlib import Path
from unquilt.judgements.labels import LabelFile
file = LabelFile(Path(sys.argv[1]))
sample = file.samples()[0]
done = sum(bool(item.category) for item in file.items(sample.name, "ada"))
for position in range(done + 1, sample.items + 1):
    file.label(sample, position, "ada", "ab"[position % 2])
    print(position, flush=True)
"""


@pytest.mark.slow
def test_no_accepted_label_is_lost_when_the_process_is_killed(folder: RunFolder, file: LabelFile) -> None:
    sample = ask(folder, file, sample="100", categories="a,b")
    for killed_after in (1, 2, 7, 20):
        with subprocess.Popen(
            [sys.executable, "-c", KILLED, str(file.path)], stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout is not None
            for line in child.stdout:
                accepted = int(line)
                if accepted >= killed_after:
                    child.kill()
                    break
            accepted = max([accepted, *map(int, child.stdout.read().split())])
        found = [item.category for item in file.items(sample.name, "ada")]
        assert found[:accepted] == ["ab"[position % 2] for position in range(1, accepted + 1)]
