"""HEAD: what GET answers, without its content (RFC 9110, 9.3.2)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

View = Callable[..., HttpResponse]


def answers_head(view: View) -> View:
    """The view, asked with HEAD, does what it does for GET; its length is told, its content left out.

    A server would leave it out too, and complain of it.
    """

    @functools.wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method != "HEAD":
            return view(request, *args, **kwargs)
        request.method = "GET"
        response = view(request, *args, **kwargs)
        request.method = "HEAD"
        response["Content-Length"] = str(len(response.content))
        response.content = b""
        return response

    return answered
