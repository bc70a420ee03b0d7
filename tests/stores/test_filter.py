"""Filters: every answer is that of comparing with each prototype, and a set is trusted or refused."""

from __future__ import annotations

import errno
import gc
import json
import os
import shutil
import struct
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
import twin_imatch as twin
from click.testing import CliRunner
from damage import damage
from snapshots import Snapshots
from twin_sets import BLOCK, LEAD, change_header, change_lead, seal, unseal

import unquilt
from unquilt import Filter, Lexicon, _native
from unquilt.analyses.neardups import SignatureParameters
from unquilt.cli import cli
from unquilt.errors import InputError, ParameterError, StorageError
from unquilt.jobs.options import JobOptions
from unquilt.stores import filters

WORDS = [*(f"word{a}{b}" for a in "abcdefghij" for b in "klmnopqrst"), "Straße", "STRASSE", "漢字", "été", "the", "12"]
METHODS: dict[str, dict[str, Any]] = {
    "fast": {},
    "rabin": {"family": "rabin", "seed": 3, "k": 2},
    "imatch": {"method": "imatch", "seed": 5},
    "imatch, one lexicon": {"method": "imatch", "lexicons": 0, "min_terms": 3},
    "imatch, many": {"method": "imatch", "lexicons": 255, "drop": 0.1, "min_share": 0.0},
}


def draw_texts(random: Random, number: int) -> list[str]:
    """Texts of every length, many of them others with a few words changed."""
    texts: list[list[str]] = []
    for _ in range(number):
        if texts and random.random() < 0.6:
            words = list(random.choice(texts))
            for _ in range(random.choice((0, 1, 1, 2, 5))):
                if words:
                    words[random.randrange(len(words))] = random.choice(WORDS)
        else:
            words = random.choices(WORDS, k=random.choice((0, 1, 2, 4, 5, 6, 20, 60, 60, 150)))
        texts.append(words)
    return [random.choice((" ", ", ", "\n")).join(words) for words in texts]


def as_table(texts: Sequence[str], ids: Sequence[str] | None = None) -> pa.Table:
    names = [f"p{i}" for i in range(len(texts))] if ids is None else list(ids)
    return pa.table({"id": pa.array(names, pa.string()), "text": pa.array(texts, pa.string())})


def make_lexicon(texts: Sequence[str]) -> Lexicon:
    counts = twin.count(texts)
    return Lexicon.build(pa.table({"word": list(counts), "df": list(counts.values())}), len(texts), (0.1, 0.8))


def test_a_set_says_the_range_of_the_lexicon_in_it(tmp_path: Path) -> None:
    given = SignatureParameters(method="imatch", lexicon="some.lexicon")
    made = Filter.pack(tmp_path / "set", [as_table(["one two"])], given, make_lexicon(draw_texts(Random(1), 50)))
    assert (made.parameters.nidf, made.parameters.lexicon) == ((0.1, 0.8), "")


def brute_force(parameters: SignatureParameters, lexicon: bytes) -> Callable[[str, str], bool]:
    """Whether two texts are near-duplicates by their definition, bucket or no bucket."""
    memo: dict[str, list[Any]] = {}

    def marks(text: str) -> list[Any]:
        if text not in memo:
            if parameters.method == "shingles":
                found = _native.supers(text, parameters.family, parameters.seed, parameters.k)
                memo[text] = [None] * 6 if found is None else list(found)
            else:
                shape = {name: value for name, value in parameters.kernel().items() if name != "method"}
                memo[text] = _native.signatures(text, lexicon=lexicon, **shape)
        return memo[text]

    need = 2 if parameters.method == "shingles" else 1
    return lambda a, b: sum(x is not None and x == y for x, y in zip(marks(a), marks(b), strict=True)) >= need


@pytest.fixture(scope="module")
def mails() -> list[str]:
    return draw_texts(Random(7), 60)


@pytest.fixture
def made(tmp_path: Path, mails: list[str]) -> Filter:
    return Filter.pack(tmp_path / "spam.set", [as_table(mails)], SignatureParameters())


class TestAnswers:
    @pytest.mark.parametrize("name", METHODS)
    def test_are_those_of_comparing_with_each_prototype(self, name: str, tmp_path: Path) -> None:
        given, random = SignatureParameters.from_dict(METHODS[name]), Random(name)
        matches = 0
        for number in (1, 2, 30, 120):
            texts, others = draw_texts(random, number), draw_texts(random, 20)
            lexicon = make_lexicon([*draw_texts(random, 50), *texts]) if given.method == "imatch" else None
            packed = b"" if lexicon is None else lexicon.pack()
            half = number // 2
            tables = [as_table(texts[:half]), as_table(texts[half:], [f"p{i}" for i in range(half, number)])]
            found = Filter.pack(tmp_path / "set", tables, given, lexicon)
            said = given if lexicon is None else replace(given, nidf=lexicon.nidf)
            assert (found.prototypes, Filter.load(tmp_path / "set").parameters) == (number, said)
            near = brute_force(given, packed)
            for text in [*texts, *others]:
                expected = [f"p{i}" for i, prototype in enumerate(texts) if near(text, prototype)]
                assert found.match(text) == expected
                assert (found.answer(text) is None) == (not near(text, text))
                matches += len(expected)
            assert found.without_signature == sum(not near(text, text) for text in texts)
        assert matches > 100

    def test_near_duplicates_of_a_corpus_are_near_in_a_set_of_it(self, mails: list[str], tmp_path: Path) -> None:
        run = unquilt.neardups(as_table(mails), tmp_path / "run", method="imatch", pairs=True)
        found = unquilt.build_filter(as_table(mails), tmp_path / "set", method="imatch")
        pairs = [(row["doc"], row["other"]) for row in run.pairs.to_pylist()]
        assert pairs
        assert all(f"p{a}" in found.match(mails[b]) and f"p{b}" in found.match(mails[a]) for a, b in pairs)

    @pytest.mark.parametrize("name", ["fast", "imatch"])
    def test_adding_is_building_from_all_at_once(self, name: str, mails: list[str], tmp_path: Path) -> None:
        given, lexicon = SignatureParameters.from_dict(METHODS[name]), make_lexicon(mails)
        if given.method == "shingles":
            lexicon = None
        ids = [f"p{i}" for i in range(60)]
        whole = Filter.pack(tmp_path / "whole", [as_table(mails)], given, lexicon)
        part = Filter.pack(tmp_path / "part", [as_table(mails[:25])], given, lexicon)
        for end in (26, 26, 40, 60):  # one, none, some
            table = as_table(mails[part.prototypes : end], ids[part.prototypes : end])
            part = Filter.pack(tmp_path / "part", [table], SignatureParameters(), None, part)
        assert (tmp_path / "part").read_bytes() == (tmp_path / "whole").read_bytes()
        assert [part.match(text) for text in mails] == [whole.match(text) for text in mails]

    def test_ids_are_in_order_and_each_once(self, tmp_path: Path) -> None:
        text = "buy one and get two for the price of three"
        ids = ["zulu", "日本 \u202e\x1b[2J", "zulu", "", "alpha", "é", "e\u0301", "a\nb\0"]
        found = Filter.pack(tmp_path / "set", [as_table([text] * 8, ids)], SignatureParameters())
        assert found.match(text.upper()) == ["zulu", "日本 \u202e\x1b[2J", "", "alpha", "é", "e\u0301", "a\nb\0"]
        assert found.prototypes == 8

    def test_tiny_documents(self, tmp_path: Path) -> None:
        found = Filter.pack(tmp_path / "set", [as_table(["", "one", " ?! ", "two words"])], SignatureParameters())
        assert (found.prototypes, found.without_signature) == (4, 2)
        assert [found.answer(text) for text in ("", "ONE!", "?", "Two, words", "three")] == [
            *(None, ["p1"], None, ["p3"], []),
        ]

    @pytest.mark.parametrize("texts", [[], [""], ["a b", ""]])
    def test_a_set_that_nothing_is_near_to(self, texts: list[str], tmp_path: Path) -> None:
        lexicon = make_lexicon(draw_texts(Random(1), 50))
        given = SignatureParameters(method="imatch")
        found = Filter.pack(tmp_path / "set", [as_table(texts)], given, lexicon)
        assert (found.prototypes, found.without_signature) == (len(texts), len(texts))
        assert found.match("alpha bravo charlie delta echo foxtrot") == []
        again = Filter.pack(tmp_path / "set", [], given, None, found)
        assert again.prototypes == len(texts)

    def test_a_text_longer_than_what_is_kept_ready(self, tmp_path: Path) -> None:
        text = " ".join(map(str, range(400_000)))
        found = Filter.pack(tmp_path / "set", [as_table([text, "short"])], SignatureParameters())
        assert [found.match(each) for each in (text, "short", text)] == [["p0"], ["p1"], ["p0"]]

    @pytest.mark.parametrize("name", ["fast", "rabin", "imatch"])
    def test_many_threads_get_the_same_answers(self, name: str, mails: list[str], tmp_path: Path) -> None:
        found = unquilt.build_filter(as_table(mails), tmp_path / "set", **METHODS[name])
        expected = [found.answer(text) for text in mails]
        assert sum(map(len, filter(None, expected))) > 20
        with ThreadPoolExecutor(8) as pool:
            rounds = pool.map(lambda _: [found.answer(text) for text in mails], range(24))
            assert all(each == expected for each in rounds)


class TestSets:
    @pytest.mark.parametrize("name", ["fast", "imatch"])
    def test_equal_input_gives_equal_bytes(self, name: str, mails: list[str], tmp_path: Path) -> None:
        for file in ("one", "two"):
            unquilt.build_filter(as_table(mails), tmp_path / file, **METHODS[name])
        assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()

    def test_everything_is_in_the_file(self, mails: list[str], tmp_path: Path) -> None:
        folder = tmp_path / "folder"
        folder.mkdir()
        lines = (json.dumps({"id": f"p{i}", "text": text}) + "\n" for i, text in enumerate(mails))
        (folder / "mails.jsonl").write_text("".join(lines))
        unquilt.build_lexicon(folder / "mails.jsonl", folder / "lexicon", nidf=(0.1, 0.8))
        given = {"method": "imatch", "lexicon": str(folder / "lexicon"), "seed": 9}
        found = unquilt.build_filter(folder / "mails.jsonl", folder / "set", **given)
        expected = [found.match(text) for text in mails]
        assert any(expected)
        shutil.move(folder / "set", tmp_path / "moved")
        shutil.rmtree(folder)
        moved = Filter.load(tmp_path / "moved")
        assert [moved.match(text) for text in mails] == expected
        more = unquilt.build_filter(as_table(mails[:1], ["more"]), tmp_path / "moved", base=tmp_path / "moved")
        assert more.match(mails[0]) == ([*expected[0], "more"] if expected[0] else [])
        assert more.prototypes == 61

    def test_a_file_that_is_replaced_while_it_is_open(self, made: Filter, mails: list[str]) -> None:
        expected = [made.match(text) for text in mails]
        unquilt.build_filter(as_table(["other"]), made.path, options=JobOptions(overwrite=True))
        assert [made.match(text) for text in mails] == expected
        made.path.unlink()
        gc.collect()
        assert [made.match(text) for text in mails] == expected
        assert made.path.exists() is False

    def test_parameters_of_a_base_are_not_changed(self, made: Filter, tmp_path: Path, snapshots: Snapshots) -> None:
        with snapshots.error(ParameterError):
            unquilt.build_filter(as_table(["a"]), tmp_path / "new", base=made.path, k=3)
        assert not (tmp_path / "new").exists()

    def test_what_is_there_is_not_replaced(self, made: Filter, tmp_path: Path, snapshots: Snapshots) -> None:
        before = made.path.read_bytes()
        with snapshots.error(InputError):
            unquilt.build_filter(as_table(["a"]), made.path)
        with snapshots.error(InputError):
            unquilt.build_filter(as_table(["a"]), tmp_path, options=JobOptions(overwrite=True))
        with snapshots.error(StorageError):
            unquilt.build_filter(as_table(["a"]), tmp_path / "no" / "set")
        assert made.path.read_bytes() == before
        other = unquilt.build_filter(as_table(["a"]), made.path, options=JobOptions(overwrite=True))
        assert other.match("a") == ["p0"]
        assert list(tmp_path.iterdir()) == [made.path]

    @pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "no room"), KeyboardInterrupt()])
    @pytest.mark.parametrize("base", [False, True])
    @pytest.mark.parametrize("where", ["reading", "signing", "writing"])
    def test_nothing_is_left_of_a_build_that_fails(
        self, error: BaseException, base: bool, where: str, made: Filter, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: Any, **__: Any) -> Any:
            raise error

        before = made.path.read_bytes()
        with monkeypatch.context() as patch:
            match where:
                case "reading":
                    patch.setattr("unquilt.jobs.work.read_into", fail)
                case "signing":
                    patch.setattr(filters._native, "bucket_keys", fail)
                case "writing":
                    patch.setattr(os, "fsync", lambda file: None if Path(f"/proc/self/fd/{file}").is_dir() else fail())
            output = made.path if base else made.path.with_name("new.set")
            with pytest.raises((StorageError, OSError, KeyboardInterrupt)):
                unquilt.build_filter(as_table(["a b c"]), output, base=made.path if base else None)
        assert made.path.read_bytes() == before
        assert list(made.path.parent.iterdir()) == [made.path]


DAMAGED: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda _: b"", "cannot be read as a set of prototypes: it is empty"),
    "foreign": (lambda _: b"PAR1" * 99, "it is no set of prototypes"),
    "short and foreign": (lambda _: b"x", "it is no set of prototypes"),
    "longer": (lambda c: c + b"\0", "is damaged; build it anew"),
    "twice": (lambda c: c + c, "is damaged; build it anew"),
    "version": (lambda c: change_lead(c, "<I", 16, 7), "its format is 7, and this unquilt reads another"),
    "lead": (lambda c: c[:30] + b"x" + c[31:], "is damaged: its beginning does not match its checksum; build it anew"),
    "block": (
        lambda c: c[:LEAD] + b"x" + c[LEAD + 1 :],
        "is damaged: block 0 does not match its checksum; build it anew",
    ),
    "sections": (lambda c: change_lead(c, "<I", 20, 63), "is damaged; build it anew"),
    "length": (lambda c: change_lead(c, "<Q", 24, 2**63), "it is cut short"),
    "lengths": (lambda c: change_lead(c, "<Q", 32, 2**64 - 999), "it is cut short"),
    "no json": (lambda c: change_header(c, lambda _: b"{broken"), "its header is damaged"),
    "no utf-8": (lambda c: change_header(c, lambda _: b"\xff\xfe"), "its header is damaged"),
    "nested": (lambda c: change_header(c, lambda _: b"[" * 100_000), "its header is damaged"),
    "a list": (lambda c: change_header(c, lambda _: b"[]"), "its header is damaged"),
    "a number": (lambda c: change_header(c, lambda _: b"7"), "its header is damaged"),
    "no count": (lambda c: change_header(c, lambda h: h.pop("prototypes")), "its header is damaged"),
    "no unicode": (lambda c: change_header(c, lambda h: h.pop("unicode")), "its header is damaged"),
    "a negative count": (lambda c: change_header(c, lambda h: h.update(prototypes=-1)), "its header is damaged"),
    "a text for a count": (lambda c: change_header(c, lambda h: h.update(prototypes="2")), "its header is damaged"),
    "infinitely many": (lambda c: change_header(c, lambda h: h.update(prototypes=1e999)), "its header is damaged"),
    "a huge count": (lambda c: change_header(c, lambda h: h.update(prototypes=10**30)), "its header is damaged"),
    "a large count": (lambda c: change_header(c, lambda h: h.update(prototypes=2**32 - 1)), "its header is damaged"),
    "another count": (lambda c: change_header(c, lambda h: h.update(prototypes=59)), "its header is damaged"),
    "k": (lambda c: change_header(c, lambda h: h["parameters"].update(k=0)), "k must be a whole number between"),
    "method": (lambda c: change_header(c, lambda h: h["parameters"].update(method="x")), "method must be one of"),
    "a new parameter": (lambda c: change_header(c, lambda h: h["parameters"].update(q=1)), "there is no parameter 'q'"),
    "no lexicon": (
        lambda c: change_header(c, lambda h: h["parameters"].update(method="imatch")),
        "a packed lexicon is cut short",
    ),
    "unicode": (
        lambda c: change_header(c, lambda h: h.update(unicode="3.1.\x1b0")),
        f"was made with Unicode 3.1.\\x1b0, this unquilt has {_native.UNICODE_VERSION}; build it anew",
    ),
}


class TestFilesThatAreNoSets:
    @pytest.mark.parametrize("name", DAMAGED)
    def test_are_refused_in_one_line(self, name: str, made: Filter) -> None:
        damage, message = DAMAGED[name]
        made.path.write_bytes(damage(made.path.read_bytes()))
        for arguments in (["--prototypes", made.path], ["--build", made.path, "--prototypes", made.path, "-o", "x"]):
            result = CliRunner().invoke(cli, ["filter", *map(str, arguments)], input="", prog_name="unquilt")
            assert (result.exit_code, result.stdout) == (1, "")
            assert result.stderr.startswith(f"unquilt: {made.path} ")
            assert message in result.stderr
            assert result.stderr.count("\n") == 1

    def test_that_are_not_there(self, tmp_path: Path, snapshots: Snapshots) -> None:
        with snapshots.error(InputError):
            Filter.load(tmp_path / "none")
        with pytest.raises(InputError, match="is a directory"):
            Filter.load(tmp_path)
        (tmp_path / "file").touch()
        with pytest.raises(InputError, match="not a directory"):
            Filter.load(tmp_path / "file" / "set")

    @pytest.mark.parametrize("name", ["fast", "imatch"])
    def test_that_are_cut_short_anywhere(self, name: str, tmp_path: Path, snapshots: Snapshots) -> None:
        texts = draw_texts(Random(2), 6)
        given = SignatureParameters.from_dict(METHODS[name])
        lexicon = make_lexicon(texts) if given.method == "imatch" else None
        content = Filter.pack(tmp_path / "set", [as_table(texts)], given, lexicon).path.read_bytes()
        for length in range(len(content)):
            if length > 200 and length % 7 and length < len(content) - 99:
                continue
            (tmp_path / "cut").write_bytes(content[:length])
            with snapshots.error(InputError):
                Filter.load(tmp_path / "cut")


@pytest.fixture(scope="module", params=["fast", "imatch"])
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, Any]]:
    """A set of many blocks, and its answers."""
    texts, given = draw_texts(Random(4), 1500), SignatureParameters.from_dict(METHODS[request.param])
    path = tmp_path_factory.mktemp("sets") / "whole"
    lexicon = make_lexicon(texts) if given.method == "imatch" else None
    found = Filter.pack(path, [as_table(texts)], given, lexicon)
    return path.read_bytes(), {text: found.answer(text) for text in [*texts[::40], *draw_texts(Random(5), 5)]}


class TestDamage:
    """A damaged set answers as the intact one would, or says that it is damaged."""

    def test_checksums_are_those_of_the_twin(self, whole: tuple[bytes, dict[str, Any]]) -> None:
        assert len(whole[0]) > 8 * BLOCK
        assert seal(unseal(whole[0])) == whole[0]

    @pytest.mark.slow
    def test_never_changes_an_answer(self, whole: tuple[bytes, dict[str, Any]], tmp_path: Path) -> None:
        content, answers = whole
        seen, random = Counter[str](), Random(3)
        for damaged in damage(random, content, 1000, BLOCK):
            outcome = self._ask(tmp_path / "set", damaged, dict(random.sample(list(answers.items()), 2)))
            assert outcome != "wrong"
            seen[outcome] += 1
        assert seen["refused"] > 100
        assert seen["found out"] > 100
        assert seen["untouched"] > 100  # it was elsewhere

    def _ask(self, path: Path, content: bytes, answers: dict[str, Any]) -> str:
        path.unlink(missing_ok=True)
        path.write_bytes(content)
        try:
            found = Filter.load(path)
        except InputError as error:
            assert "\n" not in str(error)  # noqa: PT017
            return "refused"
        with pytest.raises(InputError, match=r"is damaged: block [0-9]+ does not match its checksum; build it anew$"):
            Filter.load(path).verify()
        for text, expected in answers.items():
            try:
                if found.answer(text) != expected:
                    return "wrong"
            except InputError as error:
                assert str(error).startswith(f"{path} is damaged: block ")  # noqa: PT017
                return "found out"
        return "untouched"

    def test_crafted_files_do_no_harm(self, whole: tuple[bytes, dict[str, Any]], tmp_path: Path) -> None:
        """Checksums that agree say nothing of what is in a file: it is refused or answered, at once."""
        content, answers = unseal(whole[0]), whole[1]
        random, refused = Random(6), 0
        for _ in range(300):
            crafted = bytearray(content)
            for _ in range(random.randrange(1, 4)):
                at = random.choice((random.randrange(20, LEAD - 8), random.randrange(LEAD, len(content) - 8)))
                number = random.choice((0, 1, 7, 400, 2**31, 2**32 - 1, 2**63, 2**64 - 8, random.randrange(2**64)))
                form = random.choice(("<Q", "<I", "<B"))
                struct.pack_into(form, crafted, at, number % 256 ** struct.calcsize(form))
            (tmp_path / "set").unlink(missing_ok=True)
            (tmp_path / "set").write_bytes(seal(bytes(crafted)))
            try:
                found = Filter.load(tmp_path / "set")
                for text in answers:
                    found.answer(text)
                Filter.pack(tmp_path / "new", [as_table(["a"])], found.parameters, None, found)
            except InputError as error:
                assert "\n" not in str(error)  # noqa: PT017
                refused += 1
        assert refused > 150

    def test_many_threads_find_it_out(self, whole: tuple[bytes, dict[str, Any]], tmp_path: Path) -> None:
        content, answers = whole
        (tmp_path / "set").write_bytes(content[:-BLOCK] + bytes([content[-BLOCK] ^ 1]) + content[1 - BLOCK :])
        found = Filter.load(tmp_path / "set")

        def ask(text: str) -> bool:
            try:
                return found.answer(text) == answers[text]
            except InputError:
                return True

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(ask, [text for _ in range(20) for text in answers]))
        with pytest.raises(InputError, match="is damaged"):
            [found.answer(text) for text in answers]

    def test_is_said_by_the_command_line(self, mails: list[str], made: Filter, tmp_path: Path) -> None:
        known = next(text for text in mails if made.match(text))
        content = made.path.read_bytes()
        ids = content.index(b"p0p1p2")
        made.path.write_bytes(content[:ids] + b"x" * 180 + content[ids + 180 :])
        before = made.path.read_bytes()
        (tmp_path / "more").write_text("more")
        adding = ["--build", str(tmp_path / "more"), "-o", str(made.path), "--prototypes", str(made.path)]
        for arguments in (["--prototypes", str(made.path)], adding):
            line = json.dumps({"text": known}) + "\n"
            result = CliRunner().invoke(cli, ["filter", *arguments], input=line, prog_name="unquilt")
            assert (result.exit_code, result.stdout) == (1, "")
            assert result.stderr.startswith(f"unquilt: {made.path} is damaged: block ")
            assert result.stderr.endswith(" does not match its checksum; build it anew\n")
            assert result.stderr.count("\n") == 1
        assert made.path.read_bytes() == before

    def test_verify_looks_at_all_of_it_each_time(self, made: Filter, snapshots: Snapshots) -> None:
        made.verify()
        content = bytearray(made.path.read_bytes())
        content[-1] ^= 4
        with made.path.open("r+b") as file:  # as nobody should: the same file, while it is open
            file.write(content)
        with snapshots.error(InputError):
            made.verify()
        with pytest.raises(InputError, match="is damaged"):  # from then on
            made.match("anything")
