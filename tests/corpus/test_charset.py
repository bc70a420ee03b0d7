"""Bytes become text by mark, declaration, or what they look like; nothing raises, and UTF-8 is not copied."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from unquilt._native import decode

TEXTS = {
    "windows-1252": "Déjà vu: naïve façade, Übermaß, «señor», œuvre – 100 €. Où est l'hôtel à côté?",
    "windows-1251": "Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация.",
    "shift_jis": "これは日本語の文章です。文字コードを判定するために、ひらがなと漢字とカタカナを使います。",
    "euc-kr": "키스의 고유조건은 입술끼리 만나야 하고 특별한 기술은 필요치 않다. 다람쥐 헌 쳇바퀴에 타고파.",
    "gbk": "这是一段简体中文文本,用来检测字符编码。我们希望检测器能够认出它来。",
    "big5": "這是一段繁體中文文字,用來檢測字元編碼。我們希望檢測器能夠認出它來。",
}
MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}
HEADS = [
    '<meta charset="{}">',
    "<!doctype html><HTML><!-- x --><META CHARSET={} />",
    "<title><meta charset=koi8-r></title><meta http-equiv='Content-Type' content='text/html; charset={}'>",
    '<?xml version="1.0" encoding="{}"?><html>',
]


@pytest.mark.parametrize("code", MARKS)
@pytest.mark.parametrize("declared", [None, "utf-8", "koi8-r", "nonsense"])
def test_a_byte_order_mark_beats_a_declared_charset(code: str, declared: str | None) -> None:
    text = "<meta charset=big5> naïve 漢字 \U0001f600"
    found, name = decode(MARKS[code] + text.encode(code), declared, True)
    assert (found.decode(), name.lower()) == (text, code.replace("-le", "le").replace("-be", "be"))


@pytest.mark.parametrize("code", TEXTS)
def test_declared_charsets_are_believed_if_they_exist(code: str) -> None:
    raw = TEXTS[code].encode(code)
    assert decode(raw, code.upper(), False)[0].decode() == TEXTS[code]
    for head in HEADS:
        page = head.format(code).encode() + raw
        assert decode(page, None, True)[0].decode().endswith(TEXTS[code])
        assert decode(page, "nonsense", True)[0].decode().endswith(TEXTS[code])


@pytest.mark.parametrize("code", TEXTS)
def test_undeclared_charsets_are_detected(code: str) -> None:
    found, name = decode((TEXTS[code] * 3).encode(code), None, False)
    assert (found.decode(), name.lower()) == (TEXTS[code] * 3, code)


@pytest.mark.parametrize("code", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["<p>plain</p>", "<html><body><p>漢字かな混じり文 ñ</p></body></html>"])
@pytest.mark.parametrize("declared", [None, "utf-16", "nonsense"])
def test_utf_16_without_a_mark(code: str, text: str, declared: str | None) -> None:
    if declared == "utf-16":
        declared = code.replace("-le", "le").replace("-be", "be")
    assert decode(text.encode(code), declared, True)[0].decode() == text


@pytest.mark.parametrize("declared", [None, "utf-8"])
def test_a_broken_byte_does_not_undo_utf_8(declared: str | None) -> None:
    raw = "Déjà vu: naïve façade, où est l'hôtel à côté? ".encode() * 3
    found, name = decode(raw[:-2] + b"\xe9\xff", declared, True)
    assert name == "UTF-8"
    assert found.decode().startswith("Déjà vu")
    assert found.decode().endswith("\ufffd\ufffd")


def test_a_wrong_declaration_is_doubted() -> None:
    assert decode(TEXTS["windows-1251"].encode("windows-1251"), "utf-8", True)[1] == "windows-1251"
    assert decode(b"<p>plain", "utf-16le", True) == (b"<p>plain", "UTF-8")
    assert decode("漢字".encode(), "iso-2022-kr", True)[0].decode() == "漢字"  # browsers refuse it


UNKNOWN_TO_PYTHON = {"ISO-8859-8-I", "windows-874", "x-mac-cyrillic", "x-user-defined"}
"""Encodings that the standard of browsers has under names that Python does not know."""


@given(st.binary() | st.text().map(str.encode), st.none() | st.text(), st.booleans())
@example(bytes([0xA1, 0xD1, 0xB9]) * 9, "windows-874", True)
def test_anything_can_be_decoded(raw: bytes, declared: str | None, html: bool) -> None:
    found, name = decode(raw, declared, html)
    found.decode()
    assert name in UNKNOWN_TO_PYTHON or codecs.lookup(name)


@given(st.text())
def test_valid_utf_8_is_not_copied(text: str) -> None:
    raw = text.encode()
    if b"\0" not in raw and not raw.startswith(codecs.BOM_UTF8):
        assert decode(raw, None, False)[0] is raw
        assert decode(raw, "utf8", True)[0] is raw


@pytest.mark.parametrize("declared", ["", " ", "\0", "\ud800", "utf-8" * 100_000, '"utf-8', "utf-7", "x-user-defined"])
def test_hostile_declarations_change_no_plain_text(declared: str) -> None:
    assert decode(b"plain", declared, True)[0] == b"plain"


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", [b"<meta ", b"<!--", b"\xff", b"\xc3", b"&", b"\x81\x30", b"\0", b"\xd8\0", b"\x1b$B"]
)
def test_hostile_bytes(piece: bytes) -> None:
    """Quadratic time would show: these take less than a second."""
    for declared in (None, "gb18030", "utf-16be", "iso-2022-jp"):
        decode(piece * (4_000_000 // len(piece)), declared, True)[0].decode()


@pytest.mark.parametrize("declared", ["shift_jis", "gbk", "euc-kr"])
@pytest.mark.parametrize("text", [TEXTS["shift_jis"], TEXTS["gbk"], TEXTS["windows-1251"]])
def test_utf_8_that_the_declared_encoding_cannot_quite_decode(declared: str, text: str) -> None:
    raw = text.encode()
    found, name = decode(raw, declared, False)
    assert "\ufffd" not in found.decode()
    if raw.decode(declared, "replace").count("\ufffd"):
        assert (found, name) == (raw, "UTF-8")


def test_utf_16_is_seen_whatever_is_declared() -> None:
    for code in ("utf-16-le", "utf-16-be"):
        assert decode("<p>plain words".encode(code), "utf-8", True)[0] == b"<p>plain words"


@pytest.mark.parametrize("declared", [None, "utf-8"])
def test_replacement_characters_in_the_source_are_no_faults(declared: str | None) -> None:
    raw = ("\ufffd\ufffd þ " * 20).encode()
    assert decode(raw, declared, True) == (raw, "UTF-8")
