"""Field and operator names: what may be said, and the nearest to what was said.

Only fields that the profile may filter are ever named. A private field and one that
does not exist get the same answer, since neither is in the index.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from vitrine.language.folding import fold
from vitrine.registry.kept import Kept
from vitrine.registry.operators import ID_OPERATORS, OPERATORS
from vitrine.registry.profiles import Registry

NEAREST = 3
LISTED = 12
_CUTOFF = 0.6

KNOWN_OPERATORS = frozenset(
    op for table in (OPERATORS, ID_OPERATORS) for ops in table.values() for op in ops
)


@dataclass(frozen=True, slots=True)
class Names:
    """What a registry's filterable fields are called, folded."""

    aliases: Mapping[str, tuple[str, ...]]
    spoken: Mapping[str, tuple[str, ...]]
    leading: tuple[str, ...]


def names(registry: Registry) -> Names:
    """Give a registry's names, made once."""
    return _names.of(registry)


def _made(registry: Registry) -> Names:
    aliases: dict[str, tuple[str, ...]] = {}
    spoken: dict[str, tuple[str, ...]] = {}
    for key, field in registry.filters.items():
        _add(aliases, field.aliases, key)
        _add(spoken, (key, *field.label.values(), *field.keywords), key)
    ranked = sorted(registry.filters.values(), key=lambda f: not f.priority)
    return Names(aliases, spoken, tuple(f.key for f in ranked[:LISTED]))


_names = Kept(_made, most=128)


def _add(into: dict[str, tuple[str, ...]], words: Iterable[str], key: str) -> None:
    for word in {_plain(w) for w in words}:
        into[word] = (*into.get(word, ()), key)


def _plain(word: str) -> str:
    return fold(word.replace("_", " "))


def field_remedy(name: str, registry: Registry) -> str:
    """Say which filter to use instead: by alias, by name, by likeness, or a list."""
    known, word = names(registry), _plain(name)
    if keys := known.aliases.get(word):
        return f"Use {_either(keys)} instead of `{name}`."
    if keys := known.spoken.get(word):
        return f"Use {_either(keys)}."
    every = {**known.aliases, **known.spoken}
    close = get_close_matches(word, every, NEAREST, _CUTOFF)
    found = [key for spelling in close for key in every[spelling]]
    if found:
        return f"Did you mean {_either(list(dict.fromkeys(found))[:NEAREST])}?"
    return f"Some filters are: {', '.join(known.leading)}." if known.leading else ""


def operator_remedy(name: str, allowed: Iterable[str]) -> str:
    """List a field's operators, the nearest first."""
    operators = tuple(allowed)
    close = get_close_matches(name.lower(), operators, 1, _CUTOFF)
    lead = f"Did you mean {close[0]}? " if close else ""
    return f"{lead}Its operators are: {', '.join(operators)}."


def _either(keys: Iterable[str]) -> str:
    return " or ".join(f"`{key}`" for key in keys)
