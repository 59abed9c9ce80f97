"""HTTP runs for a worker under test: endpoints and jobs by SQL, secrets sealed as the product seals them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from jobs.domain.messages import RunKey
from jobs.sealing import seal
from tests.support.worker_stack import WorkerStack

SIGNING_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


class HttpRuns:
    """Starts HTTP runs on the workers of a stack."""

    def __init__(self, workers: WorkerStack) -> None:
        self.workers = workers

    def endpoint(self, url: str, *, secret_headers: Mapping[str, str] | None = None, **fields: Any) -> int:
        """Register an endpoint; its id."""
        sealed = seal(json.dumps(dict(secret_headers))) if secret_headers else ""
        fields = {"name": f"e-{uuid.uuid4().hex[:8]}", "url": url, "sealed_headers": sealed, **fields}
        names, marks = ", ".join(fields), ", ".join(["%s"] * len(fields))
        return int(
            self.workers.stack.sql(
                f"INSERT INTO jobs_endpoint ({names}) VALUES ({marks}) RETURNING id", *fields.values()
            )[0][0]
        )

    def add(self, url: str, *, job: dict[str, Any] | None = None, run: Any = None, **endpoint: Any) -> RunKey:
        """An endpoint, a job that calls it, and one queued run, not published."""
        fields = {"task": "", "endpoint_id": self.endpoint(url, **endpoint), "backoff_cap_seconds": 600, **(job or {})}
        job_id = self.workers.stack.save_job(f"http-{uuid.uuid4().hex[:8]}", **fields)
        return self.workers.add_run_of(job_id, **{"queue": "jobs.http", **(run or {})})

    def start(self, url: str, **options: Any) -> RunKey:
        """The same, sent to the workers."""
        key = self.add(url, **options)
        self.workers.publish(key)
        return key
