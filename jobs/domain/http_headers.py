"""Headers that people add to the calls of an endpoint or a job: which names and values go, and which are secret.

Plain headers are readable by all who see the page and lie in the database as they are; so a credential among them is
refused, with the place where it belongs. RFC 9110, 5.1 and 5.5, has the forms; values are held to ASCII, because
receivers read other letters in different ways.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from jobs.domain.masking import is_secret_key

MAX_HEADERS = 50
MAX_HEADERS_BYTES = 8192

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_UNSENDABLE = re.compile(r"[^\x20-\x7e]")
_LONGEST_SHOWN = 60
# Set by us for each call, or by the transfer itself. Another value would break the call or the receiver's checks.
_OURS = ("content-type", "user-agent", "idempotency-key")
_THE_TRANSFERS = (
    *("host", "content-length", "transfer-encoding", "content-encoding", "accept-encoding", "connection", "keep-alive"),
    *("expect", "te", "trailer", "upgrade", "proxy-connection"),
)
_OUR_PREFIXES = ("webhook-", "beatkeeper-")
# Beside the keys that are masked everywhere: what only as a header is a credential.
_CREDENTIAL = re.compile(
    r"(?:^|[-_])(?:auth|authentication|session|(?:account|functions|subscription|shared)-key)(?:$|[-_])"
)
_CREDENTIAL_VALUE = re.compile(r"(?:basic|bearer|digest|negotiate|token)\s+\S", re.IGNORECASE)
_SHAPE = 'Headers must be a JSON object of texts such as {"X-Team": "billing"}.'


def headers_fault(headers: object) -> str:
    """Why plain headers are refused, or empty."""
    return next(_faults(headers, are_secret=False), "")


def secret_headers_fault(headers: object) -> str:
    """Why secret headers are refused, or empty. No value is ever part of the answer."""
    return next(_faults(headers, are_secret=True), "")


def _faults(headers: object, *, are_secret: bool) -> Iterator[str]:
    if not isinstance(headers, dict) or not all(isinstance(text, str) for pair in headers.items() for text in pair):
        yield _SHAPE
        return
    for name, value in headers.items():
        yield from _name_faults(name)
        yield from _value_faults(name, value)
        if not are_secret and _is_credential(name, value):
            yield (
                f"Header {_shown(name)} is a credential, and all who see this page could read it. Enter it under "
                "Secret headers of the endpoint."
            )
    yield from _number_faults(headers)


def _name_faults(name: str) -> Iterator[str]:
    if not _TOKEN.fullmatch(name):
        yield (
            f"Header name {_shown(name)} may hold only letters, digits and !#$%&'*+-.^_`|~, at least one of them. "
            "Correct it."
        )
    if name.lower() in _OURS or name.lower().startswith(_OUR_PREFIXES):
        yield f"Header {_shown(name)} is set by Beatkeeper for each call. Leave it out."
    if name.lower() in _THE_TRANSFERS:
        yield f"Header {_shown(name)} belongs to the transfer of the call itself. Leave it out."


def _value_faults(name: str, value: str) -> Iterator[str]:
    if found := _UNSENDABLE.search(value):
        yield (
            f"The value of header {_shown(name)} holds the character {found[0]!a}; printable ASCII is allowed. "
            "Remove it or encode it."
        )
    if value != value.strip():
        yield f"The value of header {_shown(name)} has blanks around it. Remove them."
    if not value:
        yield f"Header {_shown(name)} has no value. Give it one, or leave it out."


def _number_faults(headers: dict[str, str]) -> Iterator[str]:
    if len(headers) > MAX_HEADERS:
        yield f"There are {len(headers)} headers; {MAX_HEADERS} are allowed. Send the data in the body."
    size = len(json.dumps(headers, ensure_ascii=False))
    if size > MAX_HEADERS_BYTES:
        yield f"The headers have {size:,} bytes; {MAX_HEADERS_BYTES:,} are allowed. Send the data in the body."
    names = [name.lower() for name in headers]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        yield f"Header {_shown(twice)} occurs twice, in letters of another case. Keep one."


def _is_credential(name: str, value: str) -> bool:
    return bool(is_secret_key(name) or _CREDENTIAL.search(name.lower()) or _CREDENTIAL_VALUE.match(value))


def _shown(name: str) -> str:
    return json.dumps(name[:_LONGEST_SHOWN])
