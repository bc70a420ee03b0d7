"""Where URLs live: one documented answer for each shape of URL."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unquilt.corpus.extract.urls import NOWHERE, address, is_recursive, list_date, locate_url

CASES = [
    # url, host, domain
    ("http://example.com/", "example.com", "example.com"),
    ("https://www.news.example.co.uk/a/b?c#d", "www.news.example.co.uk", "example.co.uk"),
    ("HTTP://WWW.Example.COM", "www.example.com", "example.com"),
    ("http://user:secret@example.com/", "example.com", "example.com"),
    ("http://evil.example@good.example.org/", "good.example.org", "example.org"),
    ("http://example.com:8080/", "example.com", "example.com"),
    ("http://example.com./", "example.com", "example.com"),
    ("http://example.com../", "example.com", "example.com"),
    ("http://bücher.de/", "xn--bcher-kva.de", "xn--bcher-kva.de"),
    ("http://www.xn--bcher-kva.de/", "www.xn--bcher-kva.de", "xn--bcher-kva.de"),
    ("http://例え.テスト/", "xn--r8jz45g.xn--zckzah", "xn--r8jz45g.xn--zckzah"),
    ("http://ex%41mple.com/", "example.com", "example.com"),
    (" http://example.com/\n", "example.com", "example.com"),
    ("http:example.com", "example.com", "example.com"),
    ("http://a_b.example.com/", "a_b.example.com", "example.com"),
    # the ICANN part of the list only: users of a hosting service share a domain
    ("https://alice.github.io/", "alice.github.io", "github.io"),
    ("https://alice.blogspot.com/", "alice.blogspot.com", "blogspot.com"),
    # wildcards and exceptions of the list
    ("http://x.foo.ck/", "x.foo.ck", "x.foo.ck"),
    ("http://a.www.ck/", "a.www.ck", "www.ck"),
    # a public suffix, a single label, an unknown top-level domain
    ("http://co.uk/", "co.uk", "co.uk"),
    ("http://localhost:8000/x", "localhost", "localhost"),
    ("http://a.b.internal/", "a.b.internal", "b.internal"),
    ("http://a..com/", "a..com", "a..com"),
    # IP addresses, in all their spellings
    ("http://192.0.2.7:80/", "192.0.2.7", "192.0.2.7"),
    ("http://0xc0.0.0x2.07/", "192.0.2.7", "192.0.2.7"),
    ("http://3221225991/", "192.0.2.7", "192.0.2.7"),
    ("http://192.0.2.7./", "192.0.2.7", "192.0.2.7"),
    ("http://[2001:DB8:0:0::1]:80/", "2001:db8::1", "2001:db8::1"),
    ("http://[::ffff:192.0.2.7]/", "192.0.2.7", "192.0.2.7"),
    # other schemes
    ("ftp://ftp.example.com/x", "ftp.example.com", "example.com"),
    ("gopher://Hole.Example.COM/1", "hole.example.com", "example.com"),
    ("file://server.example.com/x", "server.example.com", "example.com"),
    # no host
    ("file:///x", None, None),
    ("javascript:alert(1)", None, None),
    ("mailto:a@example.com", None, None),
    ("data:text/html,x", None, None),
    ("blob:http://example.com/x", None, None),
    ("http://./", None, None),
    # no URL
    (None, None, None),
    ("", None, None),
    ("   ", None, None),
    ("example.com/page", None, None),
    ("//example.com/page", None, None),
    ("/page", None, None),
    ("http://", None, None),
    ("http://user@/", None, None),
    ("http://a b/", None, None),
    ("http://a\0b.com/", None, None),
    ("http://[::1/", None, None),
    ("http://256.256.256.256/", None, None),
    ("http://example.com:99999/", None, None),
    ("http://\ud800.com/", None, None),
    # longer than DNS allows
    ("http://" + "a." * 126 + "c/", "a." * 126 + "c", "a.c"),
    ("http://" + "a." * 127 + "c/", None, None),
]


@pytest.mark.parametrize(("url", "host", "domain"), CASES, ids=lambda value: ascii(value)[:40])
def test_host_and_domain_of_urls(url: str | None, host: str | None, domain: str | None) -> None:
    assert locate_url(url)[:2] == (host, domain)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://example.com/" + "a/" * 500_000, "example.com"),
        ("http://" + "u" * 1_000_000 + "@example.com/", "example.com"),
        ("http://" + "a." * 500_000 + "com/", None),
        ("http://" + "ü" * 300_000 + ".com/", None),
        ("x" * 1_000_000, None),
    ],
    ids=["path", "user", "labels", "label", "garbage"],
)
def test_a_url_of_1_mb_is_answered_at_once(url: str, host: str | None) -> None:
    start = time.process_time()
    assert locate_url(url).host == host
    assert time.process_time() - start < 5


@given(st.text())
def test_any_string_has_an_answer(url: str) -> None:
    host, domain, components, repeats = locate_url(url)
    assert (host is None) == (domain is None)
    assert 0 <= repeats <= components
    if host is not None and domain is not None:
        assert host.endswith(domain)


@given(st.text())
def test_any_host_has_an_answer(host: str) -> None:
    place = locate_url(f"http://{host}/")
    assert place == NOWHERE or (place.host and place.domain)


@pytest.mark.parametrize(
    ("text", "ip"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:DB8::0:1", "2001:db8::1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("192.0.2.01", None),
        ("192.0.2.256", None),
        ("192.0.2.1:80", None),
        ("localhost", None),
        ("", None),
        ("\ud800", None),
    ],
)
def test_ip_addresses_are_written_in_one_form(text: str, ip: str | None) -> None:
    assert address(text) == ip


def test_the_list_of_suffixes_is_dated() -> None:
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", list_date())


RECURSIVE = [
    ("http://a.com/" + "/".join(map(str, range(96))), False),
    ("http://a.com/" + "/".join(map(str, range(97))), True),
    ("http://a.com/x/y/x/y/x/y/x/y", False),
    ("http://a.com/x/y/x/y/x/y/x/y/x", True),
    ("http://a.com//////x////", False),
    ("http://a.com/?q=/x/x/x/x/x/x", False),
    ("mailto:a/a/a/a/a/a/a@b.com", False),
]


@pytest.mark.parametrize(("url", "expected"), RECURSIVE, ids=lambda value: ascii(value)[:40])
def test_a_crawler_that_goes_round_in_circles_is_noticed(url: str, expected: bool) -> None:
    assert is_recursive(locate_url(url), max_repeats=4) is expected
