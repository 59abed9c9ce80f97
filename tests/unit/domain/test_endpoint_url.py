"""Which URLs an endpoint may have."""

from __future__ import annotations

from ipaddress import ip_network

import pytest

from jobs.domain.endpoint_url import ascii_url, url_fault

GOOD = [
    "https://api.example.com/hook",
    "http://api.example.com",
    "HTTPS://API.example.com:8443/a%20b/c;d=1?x=[1]&y=(2)",
    "https://a_b.svc.cluster.local.:443/",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]:8443/",
    "https://xn--bcher-kva.example/",
    "https://example.com/?redirect=https://user@elsewhere.example/",
    f"https://{'a' * 63}.{'b' * 63}.{'c' * 63}.{'d' * 61}/",
]
SHAPE = "must begin with https:// or http://"
NAME = "is no host name"
NEITHER = "is neither a name nor an address"
REFUSED = [
    ("", SHAPE),
    ("api.example.com/hook", SHAPE),
    ("//api.example.com/", SHAPE),
    ("https:/api.example.com/", SHAPE),
    ("ftp://example.com/", SHAPE),
    ("file:///etc/passwd", SHAPE),
    ("gopher://127.0.0.1:25/", SHAPE),
    ("javascript:alert(1)", SHAPE),
    ("http+unix://socket/", SHAPE),
    ("https://[::1/", SHAPE),
    ("https://user:s3cr3t@example.com/", "holds credentials"),
    ("https://s3cr3t@example.com/", "holds credentials"),
    ("https://example.com@127.0.0.1/", "holds credentials"),
    ("https:///hook", "has no host"),
    ("https://:443/", "has no host"),
    ("https://./", "has no host"),
    ("https://example.com:0/", 'Port "0" is not a whole number from 1 to 65535'),
    ("https://example.com:65536/", 'Port "65536"'),
    ("https://example.com:/", 'Port ""'),
    ("https://example.com:-1/", 'Port "-1"'),
    ("https://example.com:８0/", 'Port "８0"'),
    ("https://example.com:99999999999999999999/", "Port"),
    ("https://::1/", "Port"),
    ("https://example.com/#top", "has a fragment"),
    ("https://example.com/a b", "has the character ' '"),
    ("https://example.com/\n", r"has the character '\n'"),
    ("https://example.com\r\nHost: evil/", r"has the character '\r'"),
    ("https://example.com/\u2028", r"has the character '\u2028'"),
    ("https://example.com\\@evil.example/", r"has the character '\\'"),
    ("https://example.com/\x00", "U+0000"),
    ("https://example.com/\ud800", "surrogate"),
    ("https://example.com/ü", 'the character "ü" behind its host. Percent-encode it: %C3%BC.'),
    ("https://example.com/{{ run }}", "has the character ' '"),
    ("https://example.com/{run}", "Percent-encode it: %7B."),
    (f"https://example.com/{'a' * 2000}", "has 2,020 characters; 2,000 are allowed"),
    (f"https://{'a.' * 127}b/", "The host has 255 characters; 253 are allowed"),
    (f"https://{'a' * 64}.example/", NAME),
    ("https://a..example/", NAME),
    ("https://-a.example/", NAME),
    ("https://a-.example/", NAME),
    ("https://exa%6dple.com/", NAME),
    ("https://exa!mple.com/", NAME),
    ("https://faß.example/", "no name that IDNA writes and reads back"),
    ("https://１２７.0.0.1/", "no name that IDNA writes and reads back"),
    ("https://example。com/", "no name that IDNA writes and reads back"),
    ("https://1.2.3.4.5/", NEITHER),
    ("https://256.1.1.1/", NEITHER),
    ("https://0x100000000/", NEITHER),
    ("https://08.0.0.1/", NEITHER),
    ("https://[fe80::1%25eth0]/", NEITHER),
    ("https://[example.com]/", NEITHER),
    ("https://[]/", NEITHER),
]
LOOPBACK = [
    *(
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "0x7f.1",
        "0X7F000001",
        "0177.0.0.1",
        "2130706433",
        "017700000001",
        "127.0.0.1.",
    ),
    *("[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::127.0.0.1]"),
]


@pytest.mark.parametrize("url", GOOD)
def test_a_plain_url_is_accepted(url: str) -> None:
    assert url_fault(url, allowed=()) == ""
    assert ascii_url(url) == url


@pytest.mark.parametrize(("url", "said"), REFUSED, ids=[ascii(url)[:60] for url, _ in REFUSED])
def test_what_readers_of_urls_could_disagree_on_is_refused_with_the_reason(url: str, said: str) -> None:
    fault = url_fault(url, allowed=())
    assert said in fault
    assert "s3cr3t" not in fault


@pytest.mark.parametrize("host", LOOPBACK)
def test_b136_a_loopback_address_is_seen_in_any_spelling(host: str) -> None:
    fault = url_fault(f"http://{host}:8000/", allowed=())
    assert "a loopback address" in fault
    assert 'BEATKEEPER["EGRESS_ALLOW"]' in fault


@pytest.mark.parametrize("host", ["127.1", "2130706433", "[::ffff:127.0.0.1]"])
def test_what_the_operator_allows_is_accepted_in_any_spelling(host: str) -> None:
    assert url_fault(f"http://{host}/", allowed=[ip_network("127.0.0.0/8")]) == ""


def test_a_name_of_other_letters_is_kept_as_idna_writes_it() -> None:
    url = "https://Bücher.example:8443/a?b"
    assert url_fault(url, allowed=()) == ""
    assert ascii_url(url) == "https://xn--bcher-kva.example:8443/a?b"
