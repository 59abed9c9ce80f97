"""A page between a button and its deed: what will happen, and what may be said about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from jobs.admin.generics import ModelAdmin


@dataclass(frozen=True, slots=True)
class Button:
    """One of an object's buttons: posts at once, or leads to a page that asks first.

    ``tone`` is ``main`` for the one that is most likely meant, ``grave`` for one that cannot be taken back.
    """

    label: str
    url: str
    asks: bool = False
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What the page says. ``hidden`` is posted along."""

    title: str
    text: str
    button: str
    form: forms.Form | None = None
    hidden: dict[str, str] = field(default_factory=dict)


def ask(request: HttpRequest, admin: ModelAdmin[Any], original: Any, question: Question) -> HttpResponse:
    """The page; its form posts to where it came from."""
    context = {
        **admin.admin_site.each_context(request),
        "opts": admin.opts,
        "original": original,
        "title": question.title,
        "question": question,
        "media": admin.media,
    }
    return render(request, "admin/jobs/ask.html", context)
