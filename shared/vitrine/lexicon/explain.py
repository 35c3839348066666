"""One deterministic sentence about what was understood, in the caller's language."""

from __future__ import annotations

from vitrine.language.words import language as known
from vitrine.language.words import words
from vitrine.registry.profiles import Registry
from vitrine.session import Intent
from vitrine.tree.model import Group, leaves


def explain(intent: Intent, delta: Group, registry: Registry, language: str) -> str:
    """Say the intent and what it is about."""
    lang = known(language)
    what = ", ".join(
        dict.fromkeys(
            f.named(lang)
            for _, rule in leaves(delta)
            if (f := registry.filters.get(rule.field))
        )
    )
    return str(words(lang, f"turns/{intent}")).format(what=what)
