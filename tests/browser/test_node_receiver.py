"""The page's receiver for Node, on the calls that the one for Python is tried with: here Node is installed."""

from __future__ import annotations

import base64
import json
import subprocess

from tests.unit.demo.test_verify_docs import SECRET, cases, snippet

HARNESS = """
const { secret, calls } = JSON.parse(require("node:fs").readFileSync(0));
console.log(JSON.stringify(calls.map(({ headers, body }) => verify(secret, headers, Buffer.from(body, "base64")))));
"""


def test_the_node_receiver_trusts_what_is_signed_and_nothing_else() -> None:
    made = cases()
    calls = [{"headers": headers, "body": base64.b64encode(body).decode()} for _, headers, body in made.values()]
    answer = subprocess.run(
        ["node", "-e", snippet("node: verify") + HARNESS],
        input=json.dumps({"secret": SECRET, "calls": calls}),
        capture_output=True,
        text=True,
        check=True,
    )
    trusted = dict(zip(made, json.loads(answer.stdout), strict=True))
    assert trusted == {case: is_good for case, (is_good, _, _) in made.items()}
