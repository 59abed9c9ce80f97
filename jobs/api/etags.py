"""A job's version as an entity tag (RFC 9110): a write that names an old one is refused."""

from __future__ import annotations

import re
from typing import Annotated

from ninja import Header

from jobs.errors import InvalidFieldError
from jobs.models import Job

_TAG = re.compile(r'(?:W/)?"v([0-9]{1,9})"')
IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description="The ETag of the job as it was read: 412 when someone else has changed it since. `*` is any.",
        pattern=r'^(\*|"v[0-9]{1,9}")$',
    ),
]


def etag(job: Job) -> str:
    """The job's tag."""
    return f'"v{job.version}"'


def version(if_match: str | None) -> int | None:
    """The version that a request names; None when any will do."""
    if if_match is None or if_match.strip() == "*":
        return None
    found = _TAG.fullmatch(if_match.strip())
    if found is None:
        raise InvalidFieldError("header.If-Match", f'If-Match {if_match} is no ETag of a job. Send one such as "v3".')
    return int(found[1])
