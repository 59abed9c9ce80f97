"""Signatures by the Standard Webhooks scheme."""

from __future__ import annotations

import pytest

from jobs.targets.signing import new_secret, secret_fault, signature

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def test_the_signature_is_the_one_that_the_scheme_s_libraries_make() -> None:
    made = signature(
        SECRET, message_id="msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp=1614265330, body=b'{"test": 2432232314}'
    )

    assert made == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_new_secrets_are_without_fault_and_differ() -> None:
    made = {new_secret() for _ in range(10)}

    assert len(made) == 10
    assert {secret_fault(secret) for secret in made} == {""}


@pytest.mark.parametrize(
    "secret",
    [
        "",
        "s3cr3t",
        "whsec_",
        "whsec_s3cr3t",
        "whsec_!!!!",
        "WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "whsec_" + "A" * 400,
        "whsec_MfKQ9r8GKYqr TwjUPD8ILPZIo2LaLaSw",
        "whsec_grün",
    ],
)
def test_a_bad_secret_is_refused_without_being_shown(secret: str) -> None:
    fault = secret_fault(secret)

    assert "signing secret" in fault
    assert "s3cr3t" not in fault
    with pytest.raises(ValueError, match="signing secret"):
        signature(secret, message_id="x", timestamp=1, body=b"")
