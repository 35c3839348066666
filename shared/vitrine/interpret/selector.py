"""Which fields a model is shown: six always, the others as the message needs them.

The fields of the tree come along, since a refinement speaks of them.
A field is chosen by the words of its label, keywords and values, in any language.
"""

from __future__ import annotations

from collections import Counter

from vitrine.language.folding import tokens
from vitrine.language.words import languages
from vitrine.lexicon.index import index_of
from vitrine.lexicon.senses import spread
from vitrine.registry.fields import Field
from vitrine.registry.operators import FULL_TEXT_FIELD
from vitrine.registry.profiles import Registry
from vitrine.tree.model import Group, leaves

PRIORITY = 6
CAP = 25


def selected(
    message: str, registry: Registry, tree: Group, before: str = ""
) -> tuple[Field, ...]:
    """Choose at most 25 fields: priority first, then the tree's, then by the words.

    ``before`` is what was said last: a bare answer speaks of what it was asked for.
    """
    known = registry.filters
    used = (rule.field for _, rule in leaves(tree) if rule.field in known)
    scored = [*relevant(message, registry), *relevant(before, registry)]
    keys = dict.fromkeys([*_always(registry), *used, *scored, *known])
    return tuple(known[key] for key in list(keys)[:CAP])


def _always(registry: Registry) -> list[str]:
    """Name the text and the first six priority fields: the same for each message."""
    flagged = [k for k, f in registry.filters.items() if f.priority]
    text = [k for k in flagged if k == FULL_TEXT_FIELD]
    return [*text, *(k for k in flagged if k not in text)][: PRIORITY + len(text)]


def priority(registry: Registry) -> tuple[Field, ...]:
    """Give the fields that every prompt of a registry begins with."""
    return tuple(registry.filters[key] for key in _always(registry))


def relevant(message: str, registry: Registry) -> list[str]:
    """Rank the fields whose words meet the message's, best first."""
    found, index = tokens(message), index_of(registry)
    scores: Counter[str] = Counter()
    said = {s for lang in languages() for s in spread(found, lang)}
    for entry in index.about(said):
        met = sum(bool(part.senses & said) for part in entry.parts)
        # Squared, so that one word of a label of three doesn't outdo a whole short
        # label.
        share = met / len(entry.parts)
        scores[entry.field.key] = max(
            scores[entry.field.key], round(1000 * share * share * entry.weight) + met
        )
    order = {key: place for place, key in enumerate(registry.filters)}
    return sorted(scores, key=lambda key: (-scores[key], order[key]))
