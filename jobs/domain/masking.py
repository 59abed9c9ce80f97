"""Take secrets out of what people are shown: values of keys such as ``password``, and known secrets in any text.

A key is read as words, so that ``apiKey``, ``API-KEY`` and ``x_api_key`` are one. Masking is for pages, errors and
terminals; what is sent or stored whole is never masked. It takes time in proportion to the text.
"""

from __future__ import annotations

import base64
import html
import itertools
import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any
from urllib.parse import quote, quote_plus

MASK = "•••"

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PLURAL = re.compile("(?<!s)s$")
_SECRET_WORDS = frozenset({"pwd", "passphrase", "authorization", "cookie", "credential", "bearer", "jwt"})
_SECRET_ENDS = ("password", "passwd", "secret", "token", "apikey", "accesskey", "secretkey", "privatekey")
_SECRET_PAIRS = frozenset(
    {
        ("api", "key"),
        ("access", "key"),
        ("private", "key"),
        ("signing", "key"),
        ("account", "key"),
        ("basic", "auth"),
        ("access", "signature"),
    }
)
# The key of a pair in text, up to where its value begins: `token=`, `"token": `, `Token: `.
_KEY = re.compile(r"(?<![\w.-])(?P<key>[\w.-]{1,60})\\{0,4}[\"']?\]?[ \t]{0,3}[:=][ \t]{0,3}")
_QUOTED = r"\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?|\\+[\"'][^\"'\\]*"
_VALUE = re.compile(rf"{_QUOTED}|(?:(?:bearer|basic|token)[ ]+)?[^\s,;&\"'<>]+", re.IGNORECASE | re.DOTALL)
_LINE = re.compile(rf"{_QUOTED}|[^\r\n]+", re.DOTALL)
_WHOLE_LINES = frozenset({"authorization", "cookie"})
_PERCENT = re.compile("%[0-9A-F]{2}")
_SHORTEST_WITHIN = 8  # characters of Base64: fewer might be anybody's
# Secrets that tell what they are: credentials in a URL, a bearer's token, a webhook's secret.
_TELLING = re.compile(
    r"(?P<before>\b[a-z][a-z0-9+.-]{0,20}://)[^\s/\"'<>]{1,300}(?=@)"
    r"|(?P<scheme>\bbearer[ ]+)[\w.~+/=-]{8,}"
    r"|\bwhsec_[\w+/=-]+",
    re.IGNORECASE,
)


def is_secret_key(key: str) -> bool:
    """Whether a value under this key is nobody's business."""
    words = [_PLURAL.sub("", word.lower()) for word in _WORDS.findall(key)]
    if any(word in _SECRET_WORDS or word.endswith(_SECRET_ENDS) for word in words):
        return True
    return any(pair in _SECRET_PAIRS for pair in itertools.pairwise(words))


def mask_json(value: Any) -> Any:
    """The value with a mask under each secret key, and with secrets that texts in it give away masked."""
    if isinstance(value, dict):
        return {key: _masked_item(str(key), item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [mask_json(item) for item in value]
    return _mask_told(value) if isinstance(value, str) else value


def mask_text(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without these secrets, and without values of secret keys; a JSON document stays one."""
    document = _document(text)
    masked = _mask_told(text) if document is None else json.dumps(mask_json(document), ensure_ascii=False)
    known = _known(tuple(secrets))
    return known.sub(MASK, masked) if known else masked


def _masked_item(key: str, item: Any) -> Any:
    """Whether something is there at all is no secret."""
    if is_secret_key(key):
        return item if item is None or isinstance(item, bool) or item in ("", [], {}) else MASK
    return mask_json(item)


def _document(text: str) -> Any:
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


@lru_cache(maxsize=256)
def _known(secrets: tuple[str, ...]) -> re.Pattern[str] | None:
    """What finds these secrets, the longest first. Kept, since an endpoint's calls all have the same ones."""
    known = sorted({form for secret in secrets if secret for form in _forms(secret)}, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, known))) if known else None


def _forms(secret: str) -> Iterator[str]:
    """How a secret may be written in an answer: as it is, in JSON, HTML or a URL, in hexadecimal digits, in Base64."""
    raw = secret.encode("utf-8", "surrogatepass")
    yield from (secret, html.escape(secret), raw.hex(), raw.hex().upper())
    yield from (json.dumps(secret, ensure_ascii=is_ascii)[1:-1] for is_ascii in (True, False))
    for in_url in (quote(raw, safe=""), quote_plus(raw)):
        yield from (in_url, _PERCENT.sub(lambda found: found[0].lower(), in_url))
    yield from _base64_forms(raw)


def _base64_forms(raw: bytes) -> Iterator[str]:
    """By itself, padded or not, and within a longer text: what stands before it shifts its bits by a third each."""
    for encode in (base64.standard_b64encode, base64.urlsafe_b64encode):
        padded = encode(raw).decode()
        yield from (padded, padded.rstrip("="))
        for shift, unclear in enumerate((0, 2, 3)):
            within = encode(bytes(shift) + raw).decode().rstrip("=")
            inner = within[unclear : len(within) - bool((shift + len(raw)) % 3)]
            if len(inner) >= _SHORTEST_WITHIN:
                yield inner


def _mask_told(text: str) -> str:
    return _TELLING.sub(_masked_telling, "".join(_without_values(text)))


def _masked_telling(found: re.Match[str]) -> str:
    return f"{found['before'] or found['scheme'] or ''}{MASK}"


def _without_values(text: str) -> Iterator[str]:
    """The text in pieces. Only the key of a pair that is not secret is passed over: its value may hold pairs too."""
    done = at = 0
    while key := _KEY.search(text, at):
        at = key.end()
        if is_secret_key(key["key"]) and (value := _value_pattern(key["key"]).match(text, at)):
            yield text[done:at]
            yield _in_quotes(value[0])
            done = at = value.end()
    yield text[done:]


def _value_pattern(key: str) -> re.Pattern[str]:
    return _LINE if key.lower() in _WHOLE_LINES else _VALUE


def _in_quotes(value: str) -> str:
    mark = value[0] if value[0] in "\"'" else ""
    return f"{mark}{MASK}{mark if value.endswith(mark) else ''}"
