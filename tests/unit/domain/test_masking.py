"""What people are shown gives no secret away, and is otherwise as it was."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.domain.masking import MASK, is_secret_key, mask_json, mask_text

SECRET = "hunter2-s3cr3t"
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    "key",
    [
        *("password", "Password", "db_password", "PGPASSWORD", "passwd", "pwd", "passphrase"),
        *("secret", "client_secret", "clientSecret", "token", "access_token", "accessToken", "X-Auth-Token", "tokens"),
        *("api_key", "apiKey", "APIKEY", "APIKey", "X-Api-Key", "private_key", "aws_secret_access_key"),
        *("X-Access-Key", "AccountKey", "FLOWER_BASIC_AUTH", "SharedAccessSignature"),
        *("authorization", "Proxy-Authorization", "cookie", "Set-Cookie", "credentials"),
    ],
)
def test_a_key_that_names_a_secret_is_known(key: str) -> None:
    assert is_secret_key(key)


@pytest.mark.parametrize("key", ["key", "run_key", "author", "passenger", "tokenizer", "compass", "keyboard", "", "1"])
def test_other_keys_are_not_taken_for_secrets(key: str) -> None:
    assert not is_secret_key(key)


def test_values_of_secret_keys_are_masked_at_any_depth() -> None:
    value = {"a": [{"password": SECRET, "user": "ann"}], "headers": {"Authorization": [SECRET]}, "token": 17}
    assert mask_json(value) == {
        "a": [{"password": MASK, "user": "ann"}],
        "headers": {"Authorization": MASK},
        "token": MASK,
    }


def test_whether_a_secret_is_there_is_shown() -> None:
    value: dict[str, Any] = {"password": "", "token": None, "secret": False, "api_key": []}
    assert mask_json(value) == value


def test_masking_leaves_the_value_itself_alone() -> None:
    value = {"args": [{"password": SECRET}]}
    mask_json(value)
    assert value == {"args": [{"password": SECRET}]}


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("password=hunter2-s3cr3t&x=1", "password=•••&x=1"),
        ('ValueError: {"token": "hunter2-s3cr3t", "n": 1', 'ValueError: {"token": "•••", "n": 1'),
        ("KeyError: {'api_key': 'hunter2-s3cr3t', 'n': 1}", "KeyError: {'api_key': '•••', 'n': 1}"),
        (r"body: {\"token\": \"hunter2-s3cr3t\"}", r"body: {\"token\": •••\"}"),
        ("Authorization: Basic hunter2-s3cr3t\nHost: a", "Authorization: •••\nHost: a"),
        ("Cookie: a=hunter2-s3cr3t; b=hunter2-s3cr3t\nHost: a", "Cookie: •••\nHost: a"),
        ("sent Bearer hunter2-s3cr3t to a", "sent Bearer ••• to a"),
        ("GET https://h/x?n=1&token=hunter2-s3cr3t&m=2", "GET https://h/x?n=1&token=•••&m=2"),
        ("connect amqp://ann:hunter2-s3cr3t@host/vhost", "connect amqp://•••@host/vhost"),
        ("connect amqp://ann:one@hunter2-s3cr3t@host/vhost", "connect amqp://•••@host/vhost"),
        ("secret whsec_hunter2s3cr3t==", "secret •••"),
        ("token='hunter2-s3cr3t with no end", "token='•••"),
        ('settings["password"] = "hunter2-s3cr3t"', 'settings["password"] = "•••"'),
        ("x_api_key: hunter2-s3cr3t, y: 1", "x_api_key: •••, y: 1"),
        ("Nothing to see: key=1, author=ann", "Nothing to see: key=1, author=ann"),
        ("", ""),
    ],
)
def test_text_is_masked_where_it_names_a_secret(text: str, masked: str) -> None:
    assert mask_text(text) == masked


def test_a_json_document_stays_one() -> None:
    text = json.dumps({"user": "ann", "credentials": {"name": SECRET}, "url": f"https://a:{SECRET}@h/", "more": [1]})
    assert json.loads(mask_text(text)) == {
        "user": "ann",
        "credentials": MASK,
        "url": f"https://{MASK}@h/",
        "more": [1],
    }


@pytest.mark.parametrize("secret", ["plain-17", 'with "quotes" and \\', "ünïcode", "a b/c?d"])
def test_known_secrets_are_masked_however_they_are_written(secret: str) -> None:
    written = f"{secret} {json.dumps(secret)} {json.dumps({'said': secret}, ensure_ascii=False)}"
    masked = mask_text(f"echo {written}", secrets=["", secret])
    assert secret not in masked
    assert json.dumps(secret)[1:-1] not in masked


def _base64(text: str, encode: Any = base64.b64encode) -> str:
    return str(encode(text.encode()).decode())


@pytest.mark.parametrize("secret", [SECRET, "ünïcode??>>", "0123456789abcdef" * 4, "four", "a?~ÿ" * 5])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_secret_in_base64_or_hexadecimal_digits_is_masked(secret: str, encode: Any) -> None:
    padded = _base64(secret, encode)
    for written in (padded, padded.rstrip("="), secret.encode().hex(), secret.encode().hex().upper()):
        assert mask_text(f"echo {written}.", secrets=[secret]) == f"echo {MASK}."


@pytest.mark.parametrize("before", ["", "a", "ab", "abc", "user:"])
@pytest.mark.parametrize("after", ["", "z", "yz", '"}'])
def test_a_secret_within_a_text_in_base64_is_masked(before: str, after: str) -> None:
    masked = mask_text(_base64(f"{before}{SECRET}{after}"), secrets=[SECRET])
    left = "".join(masked.split(MASK))
    assert MASK in masked
    assert len(left.rstrip("=")) <= len(_base64(before + after)) + 2
    assert not any(_base64(SECRET)[at : at + 4] in left for at in range(0, 12, 4))


@pytest.mark.parametrize(
    ("secret", "written"),
    [("a b/c&d<e", "a+b%2Fc%26d%3Ce"), ("a b/c&d<e", "a%20b%2fc%26d%3ce"), ("a b/c&d<e", "a b/c&amp;d&lt;e")],
)
def test_a_secret_as_forms_and_pages_write_it_is_masked(secret: str, written: str) -> None:
    assert mask_text(f"echo {written}.", secrets=[secret]) == f"echo {MASK}."


def test_a_secret_that_begins_with_another_is_masked_whole() -> None:
    assert mask_text("abc-123 abc", secrets=["abc", "abc-123"]) == f"{MASK} {MASK}"


@given(json_values)
def test_a_value_without_secret_keys_keeps_its_shape(value: Any) -> None:
    masked = mask_json({"value": value})
    assert json.loads(json.dumps(masked)).keys() == {"value"}


@given(st.text(max_size=200))
def test_any_text_can_be_masked(text: str) -> None:
    assert isinstance(mask_text(text, secrets=["x"]), str)


@pytest.mark.parametrize(
    "unit", ["a", "a=", '"', 'token="', "token='\\", "://", "a://b", "bearer ", "[", '{"a":', "a.-"]
)
def test_masking_takes_time_in_proportion_to_the_text(unit: str) -> None:
    """A pattern that goes back and forth would not come to an end here."""
    assert isinstance(mask_text(unit * 50_000, secrets=["s"]), str)
