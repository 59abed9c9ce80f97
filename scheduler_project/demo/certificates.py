"""When the certificate authorities that this machine trusts run out."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Ubuntu, Alpine
    "/etc/pki/tls/certs/ca-bundle.crt",  # Fedora, RHEL
    "/etc/ssl/ca-bundle.pem",  # openSUSE
    "/etc/ssl/cert.pem",  # macOS, OpenBSD
)


def find_bundle() -> Path | None:
    """The bundle that OpenSSL is told to use, else the system's, else that of the package ``certifi``."""
    return next((path for path in map(Path, _candidates()) if path.is_file()), None)


def report(bundle: Path | None, now: datetime) -> dict[str, Any]:
    """Each certificate with its expiry, soonest first; without a readable bundle, why there is none."""
    if bundle is None:
        return {"bundle": None, "problem": "No CA bundle found; on Debian: apt-get install ca-certificates."}
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(cafile=str(bundle))
        found = sorted((_certificate(entry, now) for entry in context.get_ca_certs()), key=lambda item: item["expires"])
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        return {"bundle": str(bundle), "problem": f"The bundle cannot be read: {error}"}
    expired = sum(item["days_left"] < 0 for item in found)
    return {"bundle": str(bundle), "count": len(found), "expired": expired, "certificates": found}


def _candidates() -> Iterator[str]:
    if configured := ssl.get_default_verify_paths().cafile:
        yield configured
    yield from _BUNDLES
    spec = find_spec("certifi")
    if spec is not None and spec.origin:
        yield str(Path(spec.origin).with_name("cacert.pem"))


def _certificate(entry: dict[str, Any], now: datetime) -> dict[str, Any]:
    expires = datetime.fromtimestamp(ssl.cert_time_to_seconds(entry["notAfter"]), UTC)
    return {"name": _name(entry), "expires": expires.isoformat(), "days_left": (expires - now).days}


def _name(entry: dict[str, Any]) -> str:
    """The common name, else the narrowest of the subject's parts."""
    subject = {key: value for part in entry.get("subject", ()) for key, value in part}
    names = (subject.get(key) for key in ("commonName", "organizationalUnitName", "organizationName"))
    return next(filter(None, names), "without a name")
