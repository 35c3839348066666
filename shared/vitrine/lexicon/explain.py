"""One deterministic sentence about what was understood, in the caller's language."""

from __future__ import annotations

from vitrine.language.words import language as known
from vitrine.language.words import words
from vitrine.registry.profiles import Registry
from vitrine.session import Intent
from vitrine.tree.describe import describe
from vitrine.tree.model import Group, leaves


def explain(intent: Intent, delta: Group, registry: Registry, language: str) -> str:
    """Say the intent and what it is about."""
    lang = known(language)
    what = _fields(delta, registry, lang)
    if intent != "remove" and delta:
        what = describe(delta, registry, lang)
    return str(words(lang, f"turns/{intent}")).format(what=what)


def _fields(delta: Group, registry: Registry, lang: str) -> str:
    """Name the fields of a delta: what goes may have neither operator nor value."""
    fields = (registry.filters.get(rule.field) for _, rule in leaves(delta))
    return ", ".join(dict.fromkeys(field.named(lang) for field in fields if field))
