"""`unquilt filter`: sets made and asked by the command line, and streams that are answered as they come."""

from __future__ import annotations

import gzip
import json
import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from faulty import record, response
from twin_sets import change_header

import unquilt
from unquilt import Filter, _native
from unquilt.analyses.neardups import SignatureParameters
from unquilt.cli import cli
from unquilt.corpus.find import pieces as cutting

UNQUILT = [sys.executable, "-m", "unquilt.cli"]
OFFER = "buy one and get two for the price of three, today only, while stocks last"
NEWS = "the council met on monday to speak about the bridge over the river and its repair"
TIMEOUT = 60.0


def invoke(*arguments: object, **settings: Any) -> Result:
    return CliRunner().invoke(cli, ["filter", *map(str, arguments)], prog_name="unquilt", **settings)


def ask(*arguments: object, **settings: Any) -> list[dict[str, Any]]:
    result = invoke("--prototypes", "spam.set", *arguments, **settings)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def names() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


def line(name: str, text: str) -> str:
    return json.dumps({"id": name, "text": text}) + "\n"


@pytest.fixture(autouse=True)
def spam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A set of two prototypes, in the folder where tests run."""
    monkeypatch.chdir(tmp_path)
    table = pa.table({"id": ["offer", "news"], "text": [OFFER, NEWS]})
    return Filter.pack(tmp_path / "spam.set", [table], SignatureParameters()).path


class TestBuild:
    def test_says_what_was_made_and_what_to_do_next(self) -> None:
        Path("mails.jsonl").write_text(line("a", OFFER) + line("b", " ") + "{broken\n")
        result = invoke("--build", "mails.jsonl", "-o", "my set")
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout.splitlines() == [
            "2 documents; 1 record rejected",
            "2 prototypes in my set",
            "1 of them with too few words to be compared: no document will be near to them",
            "",
            "Next:",
            "  unquilt filter --prototypes 'my set' INPUT   which of them documents are near to",
        ]
        assert names() == ["mails.jsonl", "my set", "spam.set"]

    def test_adds_to_a_set(self) -> None:
        Path("more.jsonl").write_text(line("again", OFFER.upper()))
        result = invoke("--build", "more.jsonl", "--prototypes", "spam.set", "-o", "spam.set", "--json", "-q")
        facts = json.loads(result.stdout)
        assert facts.pop("parameters")["method"] == "shingles"
        assert list(facts) == ["file", "prototypes", "without_signature", "documents", "rejects", "warnings"]
        assert list(facts.values()) == ["spam.set", 3, 0, 1, 0, []]
        assert ask(input=line("x", OFFER)) == [{"id": "x", "prototypes": ["offer", "again"]}]

    def test_from_a_corpus_or_standard_input_quietly(self) -> None:
        unquilt.ingest(pa.table({"id": ["a", "b"], "text": [OFFER, NEWS]}), "corpus")
        result = invoke("--build", "corpus", "-o", "set", "-q", "--method", "shingles", "--family", "rabin")
        assert (result.exit_code, result.output) == (0, "")
        assert Filter.load("set").match(NEWS) == ["b"]
        result = invoke("--build", "-", "-o", "set", "-q", "--overwrite", input=line("c", NEWS))
        assert (result.exit_code, result.output) == (0, "")
        assert Filter.load("set").match(NEWS) == ["c"]

    def test_a_tiny_lexicon_is_warned_of(self) -> None:
        mails = "".join(line(f"{n}", f"{OFFER if n % 2 else NEWS} extra{n}") for n in range(6))
        Path("mails.jsonl").write_text(mails)
        result = invoke("--build", "mails.jsonl", "-o", "set", "--method", "imatch")
        (warning,) = (each for each in result.stdout.splitlines() if each.startswith("Warning: "))
        assert re.fullmatch(
            r"Warning: the lexicon has \d+ words only: documents that have little in common .*", warning
        )
        shown = invoke("--build", "mails.jsonl", "-o", "other", "--method", "imatch", "--json")
        assert json.loads(shown.stdout)["warnings"] == [warning.removeprefix("Warning: ")]
        made = ["lexicon", "build", "mails.jsonl", "-o", "words"]
        assert warning in CliRunner().invoke(cli, made).stdout.splitlines()
        built = CliRunner().invoke(cli, [*made, "--overwrite", "--json"])
        assert json.loads(built.stdout)["warnings"] == [warning.removeprefix("Warning: ")]

    def test_too_many_rejects(self) -> None:
        Path("mails.jsonl").write_text(line("a", OFFER) + "{broken\n")
        result = invoke("--build", "mails.jsonl", "-o", "set", "--max-rejects", "0")
        assert result.exit_code == 3
        assert result.stderr == "unquilt: 1 record was rejected, more than --max-rejects 0; everything else is done\n"
        assert Filter.load("set").prototypes == 1


WRONG = {
    "nothing": ("", 2, "name the set to ask (--prototypes SET), or make one (--build INPUT -o SET)"),
    "no input": ("--build -o new", 2, "--build needs INPUT, the prototypes, and -o SET, the file to make of them"),
    "no output": ("--build {mails}", 2, "--build needs INPUT"),
    "no set": ("--prototypes none {mails}", 1, "no such file: none"),
    "a folder": ("--prototypes . {mails}", 1, ".: is a directory"),
    "not a set": ("--prototypes {mails} {mails}", 1, "mails.jsonl cannot be read as a set of prototypes: it is no set"),
    "missing": ("--prototypes spam.set {mails} none", 1, "none: no such file or folder"),
    "output": ("--prototypes spam.set {mails} -o x", 2, "--output is for --build"),
    "overwrite": ("--prototypes spam.set {mails} --overwrite", 2, "--overwrite is for --build"),
    "threads": ("--prototypes spam.set {mails} --threads 2", 2, "--threads is for --build"),
    "engine": ("--prototypes spam.set {mails} --engine spark", 2, "--engine is for --build"),
    "asked otherwise": ("--prototypes spam.set {mails} -k 3", 2, "--k is for --build; a set keeps the parameters"),
    "added otherwise": ("--build {mails} --prototypes spam.set -o new -k 3", 2, "--k is fixed by spam.set, which is"),
    "exists": ("--build {mails} -o spam.set", 1, "spam.set exists; choose another name, or overwrite it"),
    "exists, too": ("--build {mails} --prototypes spam.set -o mails.jsonl", 1, "mails.jsonl is an input; choose"),
    "output is a folder": ("--build {mails} -o .", 1, ". contains the input mails.jsonl; choose another"),
    "no folder": ("--build {mails} -o no/set", 1, "no such file or directory: "),
    "drop": ("--build {mails} -o new --method imatch --drop 1", 2, "--drop must be a number of at least 0 and below 1"),
    "lexicons": ("--build {mails} -o new --method imatch --lexicons 256", 2, "--lexicons must be a whole number betwe"),
    "nidf": ("--build {mails} -o new --method imatch --nidf 0.8:0.2", 2, "--nidf must have its lower end first"),
    "ignored": ("--build {mails} -o new --drop 0.5", 2, "drop has no effect with method shingles; leave it out"),
    "no lexicon": ("--build {mails} -o new --method imatch --lexicon none", 1, "no such file: none"),
    "no such lexicon": ("--build {mails} -o new --method imatch --lexicon {mails}", 1, "cannot be read as a lexicon"),
    "one document": ("--build {mails} -o new --method imatch", 1, "a lexicon needs at least 2 documents"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_in_one_line(case: str) -> None:
    Path("mails.jsonl").write_text(line("a", OFFER))
    command, code, message = WRONG[case]
    before = Path("spam.set").read_bytes()
    result = invoke(*command.format(mails="mails.jsonl").split(), input="")
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr
    assert result.stderr.startswith("unquilt: ")
    assert result.stderr.count("\n") == 1
    assert names() == ["mails.jsonl", "spam.set"]
    assert Path("spam.set").read_bytes() == before


MAIL = b"From: a@a.example\nTo: b@a.example\nMessage-ID: <1@a>\nSubject: buy one\n\n" + OFFER[8:].encode() + b"\n"
MBOX = b"From a@a.example Mon Jan  1 00:00:00 2024\n" + MAIL + b"\nFrom b Mon Jan  1 00:00:00 2024\n" + MAIL + b"\n"
HTML = b"<html><body><h1>Buy one</h1><p>" + OFFER[8:].encode() + b"</p></body></html>"
KINDS: dict[str, tuple[bytes, int]] = {
    "a.eml": (MAIL, 1),
    "b.mbox": (MBOX, 2),
    "c.html": (HTML, 1),
    "d.warc": (response(1, HTML) + response(2, HTML), 2),
    "e.warc.gz": (gzip.compress(response(1, HTML)) + gzip.compress(response(2, HTML)), 2),
    "f.txt": (OFFER.encode(), 1),
    "g.jsonl.gz": (gzip.compress((line("a", OFFER) * 3).encode()), 3),
}


class TestAsk:
    @pytest.mark.parametrize("name", KINDS)
    def test_files_of_every_kind(self, name: str) -> None:
        content, number = KINDS[name]
        Path(name).write_bytes(content)
        answers = ask(name)
        assert [answer["prototypes"] for answer in answers] == [["offer"]] * number
        assert ask("-", input=content) == [
            {**answer, "id": answer["id"].replace(name, "-")} for answer in answers
        ]  # whole, and with the ids that ingest gives

    def test_several_inputs_in_their_order(self) -> None:
        folder = Path("folder")
        folder.mkdir()
        (folder / "a.eml").write_bytes(MAIL)
        (folder / "b.txt").write_text("nothing of the kind")
        pq.write_table(pa.table({"id": ["p"], "text": [NEWS]}), "c.parquet")
        answers = ask("c.parquet", "-", "folder/*.txt", "folder", input=line("in", NEWS))
        assert [(answer["id"], answer["prototypes"]) for answer in answers] == [
            *(("p", ["news"]), ("in", ["news"]), ("folder/b.txt", []), ("1@a", ["offer"]), ("folder/b.txt", [])),
        ]

    def test_a_corpus(self) -> None:
        unquilt.ingest(pa.table({"id": ["a", "b", "c"], "text": [OFFER, "", "x"]}), "corpus")
        assert ask("corpus") == [
            {"id": "a", "prototypes": ["offer"]},
            {"id": "b", "prototypes": [], "note": "too few words to be compared"},
            {"id": "c", "prototypes": []},
        ]
        result = invoke("--prototypes", "spam.set", "corpus", "--max-bytes", "10")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "corpus is a corpus, which was read already; leave out the options about reading" in result.stderr

    def test_fields_are_called_as_the_user_says(self) -> None:
        lines = json.dumps({"name": "x\u202e", "content": OFFER}) + "\n"
        assert ask("--field", "text=content", "--field", "id=name", input=lines) == [
            {"id": "x\u202e", "prototypes": ["offer"]}
        ]

    @pytest.mark.parametrize("spooled", [False, True])
    def test_bad_lines_are_answered_and_the_rest_goes_on(self, spooled: bool) -> None:
        lines = [
            *(line("a", OFFER).encode(), b"{broken\n", b"\n", b'{"id": "no text"}\n', b"[]\n", b'{"text": "\xff"}\n'),
            *(line("long", "x" * 300).encode(), line("b", NEWS).encode(), b'{"text": "' + b"y" * 290 + b'"}\n'),
            *(b'{"text": "\\ud800"}\n', b"\xff" * 500 + b"\n", b"12\n", line("c", OFFER).encode().rstrip()),
        ]
        content = b"".join(lines)
        Path("lines.jsonl").write_bytes(content)
        source = ["lines.jsonl"] if spooled else []
        answers = ask(*source, "--max-bytes", "200", input=None if spooled else content)
        good = [answer for answer in answers if "id" in answer]
        bad = [(lines[_place(lines, each["offset"])][:4], each["reject"]) for each in answers if "reject" in each]
        assert [(answer["id"], answer["prototypes"]) for answer in good] == [
            *(("a", ["offer"]), ("b", ["news"]), ("c", ["offer"])),
        ]
        assert bad == [
            *((b"{bro", "bad json"), (b'{"id', "no text"), (b"[]\n", "not an object"), (b'{"te', "not utf-8")),
            *((b'{"id', "too large"), (b'{"te', "too large"), (b'{"te', "lone surrogate"), (b"\xff" * 4, "too large")),
            *((b"12\n", "not an object"),),
        ]
        assert all(each["detail"] and each["file"] == ("lines.jsonl" if spooled else "-") for each in answers[1:3])

    def test_too_many_rejects(self) -> None:
        lines = "{broken\n" + line("a", OFFER) + "{}\n"
        result = invoke("--prototypes", "spam.set", "--max-rejects", "1", input=lines)
        assert result.exit_code == 3
        assert result.stdout.count("\n") == 3
        assert result.stderr == "unquilt: 2 records were rejected, more than --max-rejects 1; everything else is done\n"
        assert invoke("--prototypes", "spam.set", "--max-rejects", "2", input=lines).exit_code == 0

    @pytest.mark.parametrize("content", ["", "\n", " \n\r\n\t\n"])
    def test_nothing_is_answered_by_nothing(self, content: str) -> None:
        assert ask(input=content) == []

    @pytest.mark.parametrize("before", ["\ufeff", "\n\n \n", "   "])
    def test_lines_behind_blank_ones_or_a_byte_order_mark(self, before: str) -> None:
        content = before + '{"text": "a"}\n' + line("b", OFFER)
        first, second = ask(input=content)
        assert first["id"] == f"-#{len(before.encode()) if before.isspace() and before[-1] == chr(10) else 0}"
        assert second == {"id": "b", "prototypes": ["offer"]}

    def test_an_archive_within_an_archive_in_a_file_that_ingest_would_cut(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Where a slice begins, ingest may be fooled, and mends it afterwards; who answers at once cannot."""
        inner = b"".join(response(number, HTML) for number in range(10, 90))
        kind = "Content-Type: application/octet-stream"
        body = f"HTTP/1.1 200 OK\r\n{kind}\r\n\r\n".encode() + inner
        outer = record("response", 1, body, WARC_Target_URI="http://a.example/1")
        Path("x.warc").write_bytes(response(0, HTML) + outer + response(2, HTML))
        monkeypatch.setitem(cutting.pieces.__kwdefaults__, "cut", 4096)
        assert [answer.get("id") for answer in ask("x.warc")] == ["urn:0", "urn:2"]


def _place(lines: list[bytes], offset: int) -> int:
    return next(i for i in range(len(lines)) if sum(map(len, lines[:i])) == offset)


@contextmanager
def talking(*arguments: str, **settings: Any) -> Iterator[subprocess.Popen[bytes]]:
    pipe = subprocess.PIPE
    command = [*UNQUILT, "filter", "--prototypes", "spam.set", *arguments]
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, **settings)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def tell(process: subprocess.Popen[bytes], text: bytes) -> bytes:
    """Write a line, and wait for the answer."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(text)
    answer = b""
    while not answer.endswith(b"\n"):
        ready, _, _ = select.select([process.stdout], [], [], TIMEOUT)
        assert ready, f"no answer to {text!r}"
        got = os.read(process.stdout.fileno(), 1 << 16)
        assert got, process.communicate()
        answer += got
    return answer


@pytest.mark.slow
class TestProcesses:
    def test_lines_are_answered_as_they_come(self) -> None:
        with talking() as process:
            process.stdin.write(b"\n")
            for text, expected in ((OFFER, ["offer"]), ("x", []), (NEWS, ["news"])):
                assert json.loads(tell(process, line("id", text).encode())) == {"id": "id", "prototypes": expected}
            assert json.loads(tell(process, b"{broken\n"))["reject"] == "bad json"
            assert json.loads(tell(process, line("last", OFFER).encode()))["prototypes"] == ["offer"]
            out, err = process.communicate(line("without an end", NEWS).encode().rstrip(), timeout=TIMEOUT)
            assert (json.loads(out)["prototypes"], err, process.returncode) == (["news"], b"", 0)

    def test_a_line_that_is_too_long_is_answered_before_it_ends(self) -> None:
        with talking("--max-bytes", "1000") as process:
            assert json.loads(tell(process, b'{"text": "' + b"x" * 2000))["reject"] == "too large"
            answer = json.loads(tell(process, b"x" * 5000 + b'"}\n' + line("a", OFFER).encode()))
            assert answer == {"id": "a", "prototypes": ["offer"]}

    def test_a_set_that_is_replaced_goes_on_as_it_was(self) -> None:
        with talking() as process:
            assert b'["offer"]' in tell(process, line("a", OFFER).encode())
            Filter.pack("spam.set", [pa.table({"id": ["other"], "text": [OFFER]})], SignatureParameters())
            assert b'["offer"]' in tell(process, line("a", OFFER).encode())

    def test_a_reader_that_goes_away_is_no_error(self) -> None:
        with talking() as process:
            tell(process, line("a", OFFER).encode())
            process.stdout.close()
            process.stdin.write(line("b", OFFER).encode() * 2)
            assert process.wait(TIMEOUT) == 0
            assert process.stderr.read() == b""

    @pytest.mark.parametrize(("number", "word"), [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")])
    def test_stopped_while_it_waits(self, number: signal.Signals, word: str) -> None:
        with talking(start_new_session=True) as process:
            tell(process, line("a", OFFER).encode())
            process.send_signal(number)
            assert process.wait(TIMEOUT) == 128 + number
            assert process.stderr.read() == f"unquilt: {word}\n".encode()
            assert process.stdout.read() == b""


@pytest.mark.slow
def test_fault_50_a_hostile_document_costs_its_own_answer_only(tmp_path: Path) -> None:
    """Of lines as they come, and of files: one takes too long, and is asked alone before it is given up."""
    slow = line("slow", "word " * 10_000_000)
    text = line("a", OFFER) + slow + line("b", NEWS) + slow + line("c", OFFER)
    expected = [("a", ["offer"]), ("too slow", None), ("b", ["news"]), ("too slow", None), ("c", ["offer"])]
    Path("lines.jsonl").write_text(text)
    for asked in (ask("--deadline", "0.1", input=text), ask("--deadline", "0.1", "lines.jsonl")):
        assert [(each.get("id") or each["reject"], each.get("prototypes")) for each in asked] == expected


def test_the_unicode_of_a_set_is_named() -> None:
    content = Path("spam.set").read_bytes()
    Path("spam.set").write_bytes(change_header(content, lambda header: header.update(unicode="9.0.0")))
    result = invoke("--prototypes", "spam.set", input="")
    assert result.exit_code == 1
    assert result.stderr.endswith(f"this unquilt has {_native.UNICODE_VERSION}; build it anew\n")
