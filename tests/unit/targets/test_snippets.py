"""What is kept of an answer."""

from __future__ import annotations

import pytest

from jobs.domain.snippets import SNIPPET_BYTES, clean, snippet


def _kept(raw: bytes, content_type: str = "text/plain", **options: object) -> str:
    return snippet(raw, size=len(raw), content_type=content_type, **options)  # type: ignore[arg-type]  # by the caller


@pytest.mark.parametrize(
    ("raw", "content_type", "text"),
    [
        ("grün".encode(), "text/plain", "grün"),
        ("grün".encode("latin-1"), "text/plain; charset=ISO-8859-1", "grün"),
        ("grün".encode("latin-1"), 'text/plain;charset="iso-8859-1"', "grün"),
        ("grün".encode("latin-1"), "text/plain", "gr\N{REPLACEMENT CHARACTER}n"),
        (b"ok", "text/plain; charset=no-such", "ok"),
        (b"ok", "text/plain; charset=unicode_escape", "ok"),
        ("ж".encode("koi8-r"), "text/plain; charset=koi8-r", "ж"),
        (b"a\x00b\x1b[31m", "text/plain", "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}[31m"),
        (b'{"a": 1}', "application/problem+json", '{"a": 1}'),
        (b"ok", "", "ok"),
        (b"", "image/png", ""),
        (b"\x89PNG\x00", "image/png", "(5 bytes of image/png)"),
        (b"\x00\x01", "", "(2 bytes of data)"),
        (b"\x00\x01", "application/octet-stream; x=1", "(2 bytes of application/octet-stream)"),
    ],
)
def test_text_is_decoded_and_anything_else_is_named(raw: bytes, content_type: str, text: str) -> None:
    assert _kept(raw, content_type) == text


def test_what_is_encoded_is_named_and_never_decoded() -> None:
    assert _kept(b"\x1f\x8b", encoding="gzip") == "(2 bytes of gzip text/plain)"


def test_a_long_text_is_cut_to_four_kilobytes() -> None:
    kept = _kept(b"x" * 8192)

    assert len(kept.encode()) <= SNIPPET_BYTES
    assert kept.startswith("xxx")


def test_known_secrets_and_values_of_secret_keys_are_masked() -> None:
    raw = b'{"echo": "Bearer s3cr3t-token", "password": "hunter2", "api_key": "abc", "access_key": 5, "ok": true}'

    kept = _kept(raw, "application/json", secrets=("s3cr3t-token",))

    assert "s3cr3t" not in kept
    assert "hunter2" not in kept
    assert '"abc"' not in kept
    assert '"ok": true' in kept


def test_a_secret_of_three_characters_does_not_mask_the_text() -> None:
    assert _kept(b"the end", secrets=("the", "")) == "the end"


def test_a_secret_at_the_place_of_the_cut_is_masked() -> None:
    raw = b"x" * 100 + b"abcdefgh-half"

    kept = snippet(raw, size=200, content_type="text/plain", secrets=("abcdefgh-half-and-half",))

    assert kept == "x" * 100 + "•••"


def test_a_line_from_outside_is_bounded_and_masked() -> None:
    assert clean("token=abcdef ok\x07", ()) == "token=••• ok\N{REPLACEMENT CHARACTER}"
    assert len(clean("x" * 900, ()).encode()) <= 200
