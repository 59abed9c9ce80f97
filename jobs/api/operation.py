"""A run as a long-running operation (AIP-151). It is no row of its own, so that it cannot differ from the run."""

from __future__ import annotations

from jobs.documents import operation_document
from jobs.domain.messages import RunKey
from jobs.models import JobRun
from jobs.services.answer_once import Answer

_POLL_SECONDS = 1


def accepted(key: RunKey) -> Answer:
    """202 for a run that was just made: where to ask for it, and when."""
    run = JobRun.objects.select_related("job").get(job_id=key.job_id, scheduled_for=key.scheduled_for)
    return operation_answer(run, status=202)


def operation_answer(run: JobRun, *, status: int = 200) -> Answer:
    """The operation; while it is not done, with the seconds after which to ask again."""
    document = operation_document(run)
    headers = {"Location": f"/v1/operations/{document['name']}"} if status == 202 else {}
    if not document["done"]:
        headers["Retry-After"] = str(_POLL_SECONDS)
    return Answer(status, document, headers)
