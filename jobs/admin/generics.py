"""Django's admin and form classes with their model as a type parameter, which they do not take at run time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin as ModelAdmin
    from django.forms import ModelForm as ModelForm
else:

    class _Generic:
        def __class_getitem__(cls, _: Any) -> type:
            return cls

    class ModelAdmin(_Generic, admin.ModelAdmin):
        """``django.contrib.admin.ModelAdmin``."""

    class ModelForm(_Generic, forms.ModelForm):
        """``django.forms.ModelForm``."""
