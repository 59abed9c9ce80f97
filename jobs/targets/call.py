"""One HTTP call: where to, with what, and by when."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import lru_cache

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # a token of RFC 9110
_LINE_BREAKING = re.compile("[\r\n\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Call:
    """A POST. ``seconds`` bound all of it; ``secrets`` are masked wherever text of the answer is kept.
    ``only_once``: never sent twice, even where the first sending met a dead connection.

    ValueError where a header or the URL could end its own line: definitions are checked when they are saved, and this
    is the last look before the wire. Nothing of headers, body or secrets is in the repr.
    """

    url: str
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: bytes = field(repr=False)
    seconds: float
    secrets: tuple[str, ...] = field(default=(), repr=False)
    only_once: bool = False

    def __post_init__(self) -> None:
        if _LINE_BREAKING.search(self.url):
            raise ValueError("The URL holds a line break, a NUL or half a character. Correct the endpoint's URL.")
        if not (math.isfinite(self.seconds) and self.seconds > 0):
            raise ValueError(f"A call of {self.seconds} seconds cannot be made; its deadline must be above 0.")
        # One search for all the values at once, and names are few: it is done for each call.
        if _LINE_BREAKING.search("".join([value for _, value in self.headers])) or not all(
            _is_header_name(name) for name, _ in self.headers
        ):
            for name, value in self.headers:
                _require_one_line(name, value)


@lru_cache(maxsize=1024)
def _is_header_name(name: str) -> bool:
    return _HEADER_NAME.fullmatch(name) is not None


def _require_one_line(name: str, value: str) -> None:
    """The value may be a secret, so it is not in the message."""
    if not _is_header_name(name):
        raise ValueError(f"{name!r} is no name of a header; letters, digits and hyphens are.")
    if _LINE_BREAKING.search(value):
        raise ValueError(f'The header "{name}" holds a line break, a NUL or half a character. Correct its value.')
