"""A label and its value, as the heads of the pages show them."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.safestring import SafeString


class Fact(NamedTuple):
    """``value`` is escaped by the template unless it is safe."""

    label: str
    value: SafeString | str
