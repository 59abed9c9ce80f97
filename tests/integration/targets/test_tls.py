"""Certificates are verified, always and in full."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from jobs.domain.answers import Answer, Failure, FailureKind
from jobs.targets.curl import post
from tests.integration.targets.conftest import Resolve
from tests.support.certificates import self_signed, server_context
from tests.support.http_calls import call_to, post_through_multi
from tests.support.http_server import answer, hang, serving

pytestmark = pytest.mark.usefixtures("loopback")


@pytest.mark.parametrize("make", [post, post_through_multi])
def test_a_bundle_named_by_the_environment_is_trusted(
    make: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = self_signed(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with serving(answer(), tls=server_context(certificate)) as server:
        result = make(call_to(server.url()))  # type: ignore[operator]  # one of the two

    assert isinstance(result, Answer)


def test_a_certificate_of_another_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, resolve: Resolve
) -> None:
    certificate = self_signed(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    resolve("127.0.0.1")
    with serving(answer(), tls=server_context(certificate)) as server:
        result = post(call_to(server.url("other.example")))

    assert isinstance(result, Failure)
    assert (result.kind, server.requests) == (FailureKind.TLS, [])
    assert result.message.startswith('No TLS connection to "other.example"')


def test_a_certificate_that_ran_out_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = self_signed(tmp_path, days=-1)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with serving(answer(), tls=server_context(certificate)) as server:
        result = post(call_to(server.url()))

    assert isinstance(result, Failure)
    assert "expired" in result.message


def test_an_old_version_of_tls_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = self_signed(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = server_context(certificate)
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    with serving(answer(), tls=context) as server:
        result = post(call_to(server.url()))

    assert isinstance(result, Failure)
    assert (result.kind, server.requests) == (FailureKind.TLS, [])


def test_a_bundle_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))
    with serving(answer(), tls=server_context(self_signed(tmp_path))) as server:
        result = post(call_to(server.url()))

    assert isinstance(result, Failure)
    assert result.kind is FailureKind.TLS
    assert "missing.pem" in result.message


def test_a_handshake_that_does_not_end_is_ended_at_the_deadline() -> None:
    """The server reads the client's greeting as a request that never becomes whole."""
    with serving(hang()) as server:
        result = post(call_to(server.url().replace("http:", "https:"), seconds=0.3))

    assert isinstance(result, Failure)
    assert (result.kind, result.message) == (
        FailureKind.TIMED_OUT,
        'No TLS connection to "127.0.0.1" within 0.3 s.',
    )


def test_a_server_without_tls_is_a_failure_of_tls() -> None:
    with serving(answer()) as server:
        server.greet = b"220 mail.example\r\n"
        result = post(call_to(server.url().replace("http:", "https:"), seconds=5))

    assert isinstance(result, Failure)
    assert result.kind is FailureKind.TLS
