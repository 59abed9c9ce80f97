"""Which headers may be added to a call."""

from __future__ import annotations

import pytest

from jobs.domain.http_headers import headers_fault, secret_headers_fault

OURS = "is set by Beatkeeper for each call"
TRANSFER = "belongs to the transfer of the call itself"
SHAPE = "must be a JSON object of texts"
NAME = "may hold only letters, digits and"
BAD = [
    ([], SHAPE),
    ("X-Team: billing", SHAPE),
    (None, SHAPE),
    ({"X-Team": 1}, SHAPE),
    ({"X-Team": None}, SHAPE),
    ({"": "a"}, NAME),
    ({"X Team": "a"}, NAME),
    ({"X-Team:": "a"}, NAME),
    ({"X-Team\r\nX-Other": "a"}, NAME),
    ({"Größe": "a"}, NAME),
    ({"X-Team": "a\r\nX-Other: b"}, r"holds the character '\r'"),
    ({"X-Team": "a\nb"}, r"holds the character '\n'"),
    ({"X-Team": "a\x00b"}, r"holds the character '\x00'"),
    ({"X-Team": "a\tb"}, r"holds the character '\t'"),
    ({"X-Team": "ü"}, r"holds the character '\xfc'"),
    ({"X-Team": " a"}, "has blanks around it"),
    ({"X-Team": ""}, "has no value"),
    ({"X-Team": "a", "x-team": "b"}, 'Header "x-team" occurs twice'),
    ({f"X-{number}": "a" for number in range(51)}, "There are 51 headers; 50 are allowed"),
    ({"X-Team": "a" * 8192}, "bytes; 8,192 are allowed"),
    *(({name: "a"}, OURS) for name in ("Content-Type", "USER-AGENT", "idempotency-key")),
    *(({name: "a"}, OURS) for name in ("webhook-signature", "Webhook-Anything", "Beatkeeper-Job")),
    *(({name: "a"}, TRANSFER) for name in ("Host", "Content-Length", "transfer-encoding", "Connection", "Expect")),
    *(({name: "a"}, TRANSFER) for name in ("Accept-Encoding", "TE", "Trailer", "Upgrade", "Content-Encoding")),
]
CREDENTIALS = [
    *("Authorization", "authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "X-ApiKey", "apikey"),
    *("X-Auth", "X-Auth-Token", "X-Amz-Security-Token", "X-Secret", "X-Vault-Token", "X-Session", "PRIVATE-TOKEN"),
    *("Ocp-Apim-Subscription-Key", "X-Functions-Key", "X-Password", "X-Goog-Credential"),
]


@pytest.mark.parametrize(("headers", "said"), BAD, ids=[f"{headers}"[:50] for headers, _ in BAD])
def test_what_would_break_a_call_is_refused_among_plain_and_secret_headers(headers: object, said: str) -> None:
    assert said in headers_fault(headers)
    assert said in secret_headers_fault(headers)


@pytest.mark.parametrize("name", CREDENTIALS)
def test_b154_a_credential_is_told_where_it_belongs_and_is_accepted_there(name: str) -> None:
    fault = headers_fault({name: "s3cr3t"})
    assert fault.endswith("could read it. Enter it under Secret headers of the endpoint.")
    assert "s3cr3t" not in fault
    assert secret_headers_fault({name: "s3cr3t"}) == ""


@pytest.mark.parametrize("value", ["Bearer s3cr3t", "basic dXNlcg==", "Token token=abc"])
def test_a_credential_is_known_by_its_value_too(value: str) -> None:
    assert "Secret headers" in headers_fault({"X-Team": value})


@pytest.mark.parametrize("headers", [{}, {"X-Team": "billing"}, {"Accept": "*/*", "X-Sort-Key": "a", "X-Author": "b"}])
def test_ordinary_headers_are_accepted(headers: dict[str, str]) -> None:
    assert headers_fault(headers) == secret_headers_fault(headers) == ""
