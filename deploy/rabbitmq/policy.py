"""``python -m deploy.rabbitmq.policy``: let no message of our queues run out of deliveries.

RabbitMQ 4 gives up on a message of a quorum queue after 20 deliveries. A run's message may come back oftener than that,
as when workers come and go, and it is the database that counts attempts. Older versions have no limit and take the
policy all the same. Queues of your own need one with their names in its pattern.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import urllib.request
from urllib.parse import quote, unquote, urlsplit

NAME = "beatkeeper-delivery-limit"
POLICY = {
    "pattern": r"^jobs\.",
    "apply-to": "queues",
    "definition": {"delivery-limit": 1_000_000},  # versions before 4 refuse -1
    "priority": 1,
}
_SECONDS = 10


def set_policy(management_url: str, vhost: str) -> None:
    """Make or renew the policy through the management API; OSError when that refuses or does not answer."""
    url = urlsplit(management_url)
    login = f"{unquote(url.username or '')}:{unquote(url.password or '')}"
    request = urllib.request.Request(  # noqa: S310  # the operator's own address
        f"{url.scheme}://{url.netloc.rpartition('@')[2]}/api/policies/{quote(vhost, safe='')}/{NAME}",
        method="PUT",
        data=json.dumps(POLICY).encode(),
        headers={
            "Authorization": f"Basic {base64.b64encode(login.encode()).decode()}",
            "Content-Type": "application/json",
        },
    )
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # the broker is beside us, behind no proxy
    direct.open(request, timeout=_SECONDS).close()


def main() -> str:
    """Set it where the environment says; returns what was wrong, or nothing."""
    vhost = unquote(urlsplit(os.environ["BROKER_URL"]).path[1:]) or "/"
    where = f'the policy "{NAME}" in the virtual host "{vhost}"'
    try:
        set_policy(os.environ["BEATKEEPER_RABBITMQ_MANAGEMENT_URL"], vhost)
    except OSError as error:
        return f"Cannot set {where}: {error}."
    print(f"Set {where}.")
    return ""


if __name__ == "__main__":
    sys.exit(main() or None)
