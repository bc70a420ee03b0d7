"""What reaches the terminal: nothing that acts on it, nothing wider than asked, tables that line up."""

from __future__ import annotations

import json
import re
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from unquilt.cli.show.tables import GAP, fit, spell
from unquilt.cli.terminal import progress
from unquilt.cli.terminal.output import cut, duration, json_line, printable, size

ACTING = "\x00\x07\x1b\x7f\x9b\n\r\t\u200f\u202e\u2066\ufeff\U000e0041"
NASTY = st.text(st.characters() | st.sampled_from(ACTING + "漢e\u0301👩"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain – ä 漢字", "plain – ä 漢字"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x9b2J", r"\x9b2J"),
        ("a\u202eb\u2066c\u200d", r"a\u202eb\u2066c\u200d"),
        ("tab\tline\nreturn\r", r"tab\tline\nreturn\r"),
        ("nul\0del\x7f", r"nul\x00del\x7f"),
        ("lone \udc80", r"lone \udc80"),
        ("tag \U000e0041", r"tag \U000e0041"),
    ],
)
def test_what_acts_on_a_terminal_is_spelled_out(text, shown):
    assert printable(text) == shown


@given(NASTY)
def test_printable_text_is_printable(text):
    assert printable(text).isprintable()


@given(NASTY, st.integers(1, 30))
def test_cut_text_fits(text, cells):
    shown = cut(text, cells)
    assert shown.isprintable()
    assert cell_len(shown) <= cells
    assert shown == printable(text) or shown.endswith("…")


def test_marks_without_width_are_cut_too():
    assert len(cut("a" + "\u0301" * 1_000_000, 20)) < 100


@given(st.dictionaries(NASTY, NASTY | st.integers() | st.none() | st.lists(NASTY)))
def test_json_is_one_line_of_printable_ascii(values):
    line = json_line(values)
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line) == values


def test_json_has_bytes_as_digits():
    assert json.loads(json_line({"a": b"\x01\xff", "b": [b"\x00"]})) == {"a": "01ff", "b": ["00"]}


@given(
    st.lists(st.tuples(st.integers(1, 200), st.booleans()), min_size=1, max_size=12),
    st.integers(20, 250),
)
def test_columns_fit_into_the_width(columns, width):
    natural = [cells for cells, _ in columns]
    numeric = [number for _, number in columns]
    widths = fit(natural, numeric, width)
    assert 1 <= len(widths) <= len(columns)
    assert sum(widths) + GAP * (len(widths) - 1) <= width
    if len(widths) > 1:
        assert all(got == cells for got, cells, number in zip(widths, natural, numeric, strict=False) if number)
    if sum(natural) + GAP * (len(natural) - 1) <= width:
        assert widths == natural


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "-"), (True, "yes"), (0.12345, "0.123"), (12345, "12345"), (b"\x00\x1b", "001b"), ([1, 2], "2 items")],
)
def test_values_are_spelled_for_people(value, shown):
    assert spell(value) == shown


def test_sizes_and_times_are_spelled_for_people():
    assert [size(n) for n in (0, 999, 1000, 1.5e9, 3e15)] == ["0 B", "999 B", "1.0 kB", "1.5 GB", "3000.0 TB"]
    assert [duration(seconds) for seconds in (0, 9.94, 59.6)] == ["0.00 s", "9.9 s", "1 min 00 s"]
    assert [duration(seconds) for seconds in (125, 7300)] == ["2 min 05 s", "2 h 01 min"]


class TestProgress:
    @pytest.fixture(autouse=True)
    def _quick(self, monkeypatch):
        monkeypatch.setattr(progress, "PATIENCE", 0.1)
        monkeypatch.setattr(progress, "EVERY", 0.25)
        monkeypatch.setattr(progress, "FRAME", 0.02)

    @pytest.mark.parametrize("kind", [progress.Lines, progress.Bars])
    def test_short_stages_are_not_shown(self, kind, capsys, monkeypatch):
        monkeypatch.setattr(progress, "PATIENCE", 30)  # on a busy machine a stage is not as short as it is elsewhere
        shown = kind()
        for _ in range(20):
            with shown.stage("read", 10, "B") as step:
                step(10)
        assert capsys.readouterr() == ("", "")

    def test_lines_come_now_and_then(self, capsys):
        shown = progress.Lines()
        begin = time.monotonic()
        for _ in range(2):
            with shown.stage("read", 2_000_000, "B") as step:
                time.sleep(0.15)
                step(1_000_000)
                time.sleep(0.25)
        seconds = time.monotonic() - begin
        out, err = capsys.readouterr()
        lines = err.splitlines()
        assert out == ""
        assert 1 <= len(lines) <= 2 + seconds / progress.EVERY
        known = r"reading: 0 %, \d\.\d+ s so far|reading: 50 %, \d+\.\d MB/s(, about \d s until the corpus is there)?"
        assert [line for line in lines if not re.fullmatch(known, line)] == []

    def test_a_stage_that_fails_ends_its_display(self):
        def fail():
            with progress.Bars().stage("scan", 5):
                time.sleep(0.15)
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            fail()
        assert not [thread for thread in threading.enumerate() if thread.name == "unquilt progress"]

    def test_a_closed_terminal_does_not_stop_the_work(self, monkeypatch):
        class Closed:
            def write(self, _):
                raise BrokenPipeError

        monkeypatch.setattr("sys.stderr", Closed())
        with progress.Lines().stage("read", 1) as step:
            time.sleep(0.15)
            step(1)

    def test_pace_and_time_left(self, monkeypatch):
        monkeypatch.setattr("unquilt.cli.terminal.progress.time.monotonic", lambda: 110.0)
        stage = progress.Stage("lists", 100, "", began=100.0)
        assert stage.pace == "10 s so far"
        stage.step(50)
        assert stage.pace == "5.0/s, about 10 s left in this stage"
        assert (stage.percent, stage.label) == (50, "finding shared grams")
        assert progress.Stage("unheard of", 0, "").label == "unheard of"
