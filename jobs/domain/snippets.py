"""The piece of an answer that is kept: text only, short, storable, and without secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from jobs.domain.bounds import bounded_text
from jobs.domain.masking import MASK, mask_text

SNIPPET_BYTES = 4096
LOCATION_BYTES = 1000
# Shorter ones would mask half of any text.
_SHORTEST_SECRET = 4
# Endpoints say the same again and again: what was made of a text as short as a reason or a type is kept.
_SHORT_TEXT, _KEPT = 100, 1024
_CHARSET = re.compile(r";\s*charset\s*=\s*\"?([\w.:-]{1,40})", re.IGNORECASE | re.ASCII)
# An answer may name any codec; only these are decoded by it, since some of Python's take long or do other things.
_CHARSETS = re.compile(
    r"(us-)?ascii|latin1|iso-8859-([1-9]|1[013-6])|windows-125[0-8]|koi8-[ru]|utf-16([lb]e)?|shift_jis|euc-(jp|kr)"
    r"|iso-2022-jp|gb2312|gbk|gb18030|big5"
)
_TEXT_TYPE = re.compile(
    r"text/.*|.*[/+](json|xml|yaml|javascript)|application/(x-yaml|x-www-form-urlencoded|graphql|.*json.*)", re.DOTALL
)
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def snippet(raw: bytes, *, size: int, content_type: str, encoding: str = "", secrets: Iterable[str] = ()) -> str:
    """The first 4 kB of a text, masked. Of anything else its size and type.

    ``raw`` is the beginning of a body of which ``size`` bytes were read. ``encoding`` is its content coding, which is
    never undone.
    """
    media_type = content_type.partition(";")[0].strip().lower()
    if size and (encoding not in ("", "identity") or not _is_text(raw, media_type)):
        what = " ".join(part for part in (encoding, media_type or "data") if part)
        return clean(f"({size:,} bytes of {what})", secrets)
    text = raw.decode(_charset(content_type), errors="replace")
    if size > len(raw):
        text = _without_begun_secret(text, _long_enough(secrets))
    return clean(text, secrets, limit=SNIPPET_BYTES)


def clean(text: str, secrets: Iterable[str], *, limit: int = 200) -> str:
    """A text from outside made fit to be kept: masked, without control characters, of at most ``limit`` bytes."""
    make = _kept_clean if len(text) <= _SHORT_TEXT else _clean
    return make(text, tuple(secrets), limit)


def _clean(text: str, secrets: tuple[str, ...], limit: int) -> str:
    masked = mask_text(text, _long_enough(secrets))
    return bounded_text(_CONTROLS.sub("\N{REPLACEMENT CHARACTER}", masked), limit)


_kept_clean = lru_cache(maxsize=_KEPT)(_clean)


def _is_text(raw: bytes, media_type: str) -> bool:
    return _TEXT_TYPE.fullmatch(media_type) is not None if media_type else b"\x00" not in raw


@lru_cache(maxsize=_KEPT)
def _charset(content_type: str) -> str:
    found = _CHARSET.search(content_type)
    name = found[1].lower() if found else ""
    return name if _CHARSETS.fullmatch(name) else "utf-8"


def _long_enough(secrets: Iterable[str]) -> list[str]:
    return [secret for secret in secrets if len(secret) >= _SHORTEST_SECRET]


def _without_begun_secret(text: str, secrets: Iterable[str]) -> str:
    """Where the text was cut, a secret may have begun; its first part is masked, too."""
    begun = (
        length
        for secret in secrets
        for length in range(min(len(secret), len(text)), _SHORTEST_SECRET - 1, -1)
        if text.endswith(secret[:length])
    )
    length = max(begun, default=0)
    return text[:-length] + MASK if length else text
