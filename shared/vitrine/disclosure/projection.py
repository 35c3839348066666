"""One stored row becomes one public hit: the fields that the profile lists, no other.

A hit is ``{ref, title, url?, language?, mark?, as_of?, stale?, advice?, mode?,
…fields}``. Nothing is passed through: each value is made anew from its field's type,
and one that does not fit is left out with a warning, which fails every test. A field
``name_fr`` beside ``name`` is that field in French, or the manifest's locales say
which one is: the hit has one ``name``, in the caller's language, or it says in which
other ``language`` it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from vitrine.disclosure.shapes import Shape, moment, shape_of
from vitrine.language.sentences import say
from vitrine.registry.manifest import Locale
from vitrine.registry.profiles import Registry
from vitrine.seal import Refs
from vitrine.search.engine import Row

SIGN = "◆"
"""What marks a document that an AI wrote, on every surface."""
AS_OF = "as_of"
"""The row's own moment of truth, beside the manifest's fields."""
_PLAIN = Locale()
_KEPT = 512
Speech = tuple[tuple[str, str | None, Shape], ...]
_speeches: dict[tuple[int, str], tuple[Registry, Speech]] = {}
_SLOT = re.compile(r"\{([a-z0-9_.]+)\}")
_VARIANT = re.compile(r"(.+)_([a-z]{2})")


@dataclass(frozen=True, slots=True)
class View:
    """For whom rows are shown: the profile, the language (BCP 47), the refs.

    ``tongue`` is the language without its region, ``locale`` what hits are like in it,
    else in the first one.
    """

    registry: Registry
    language: str
    refs: Refs
    now: datetime
    tongue: str = field(init=False)
    locale: Locale = field(init=False)

    def __post_init__(self) -> None:
        tongue = self.language.replace("_", "-").split("-")[0].lower()
        locales = self.registry.manifest.locales
        first = next(iter(locales.values()), _PLAIN)
        object.__setattr__(self, "tongue", tongue)
        object.__setattr__(self, "locale", locales.get(tongue, first))

    def ref(self, row: Row) -> str:
        """Give a row's public handle."""
        return self.refs.ref(self.registry.tenant, self.registry.source, row.id)


def project(row: Row, view: View) -> dict[str, Any]:
    """Give the public facts of a row."""
    freshness = _freshness(row, view)
    facts = dict(_facts(row, view, stale="stale" in freshness))
    title = _title(row, facts, view)
    hit: dict[str, Any] = {"ref": view.ref(row), "title": title} | _told(row, view)
    url = _url(row, view, hit["ref"])
    if url:
        hit["url"] = url
    if row.mode != "strict":
        hit["mode"] = row.mode
    # In this order, so that no field of a manifest can stand in for the hit's own ref,
    # title or mark.
    return facts | hit | _written(row, facts) | freshness


def _told(row: Row, view: View) -> dict[str, str]:
    """Say in which language a hit is, where that is not the caller's."""
    locales = view.registry.manifest.locales
    if not locales:
        return {}
    key = view.locale.title or view.registry.manifest.hit.title
    there = view.tongue in locales and row.values.get(_variant(key, view) or key)
    return {} if there else {"language": next(iter(locales))}


def _written(row: Row, facts: Mapping[str, Any]) -> dict[str, str]:
    """Mark what an AI wrote: with its author, client and time as far as they show."""
    if not row.values.get("ai_author"):
        return {}
    author, client, at = (facts.get(k) for k in ("ai_author", "ai_client", "ai_at"))
    told = (author, client and f"via {client}", at and f"at {at}")
    return {"mark": " ".join((SIGN, *filter(None, told)))}


def _facts(row: Row, view: View, *, stale: bool) -> Iterator[tuple[str, Any]]:
    """Yield what is shown; what perishes is not told once it is stale."""
    gone = view.registry.manifest.hit.perishable if stale else ()
    stored = row.values
    for key, variant, shape in _speech(view):
        if key in gone:
            continue
        said = (stored.get(variant) if variant else None) or stored.get(key)
        shown = None if said is None else shape(said)
        if shown is not None:
            yield key, shown


def _speech(view: View) -> Speech:
    """List what is shown, each with its words' field in the language, and its shape.

    Made once for a registry and a language, since every hit of every page needs it; a
    registry has no hash, so it is known by identity, kept alive.
    """
    place = id(view.registry), view.tongue
    kept = _speeches.get(place)
    if kept is not None and kept[0] is view.registry:
        return kept[1]
    # A caller names the language, so that there are as many as they like: the map must
    # have an end.
    if len(_speeches) >= _KEPT:
        _speeches.clear()
    registry = view.registry
    shown = (key for key in registry.outputs if not _is_variant(key, registry))
    made = tuple((key, _variant(key, view), _shape(key, view)) for key in shown)
    _speeches[place] = (registry, made)
    return made


def _shape(key: str, view: View) -> Shape:
    registry = view.registry
    short = key in registry.manifest.hit.preview
    told = registry.fields[key]
    return shape_of(told, view.tongue, source=registry.source, short=short)


def _is_variant(key: str, registry: Registry) -> bool:
    match = _VARIANT.fullmatch(key)
    if match is not None and match[1] in registry.outputs:
        return True
    said = (locale.fields.items() for locale in registry.manifest.locales.values())
    pairs = (pair for items in said for pair in items)
    return any(key == other != base in registry.outputs for base, other in pairs)


def _variant(key: str, view: View) -> str | None:
    """Name the field that holds another one's words in the caller's language."""
    other = view.locale.fields.get(key, f"{key}_{view.tongue}")
    # A field that is closed to the profile is closed in every language.
    return other if other in view.registry.outputs else None


def _title(row: Row, facts: Mapping[str, Any], view: View) -> str:
    key = view.locale.title
    title = facts.get(view.registry.manifest.hit.title, "")
    if key and key in view.registry.outputs and row.values.get(key):
        title = _shape(key, view)(row.values[key])
    return title if isinstance(title, str) else ""


def _url(row: Row, view: View, ref: str) -> str | None:
    template = view.locale.url or view.registry.manifest.hit.url
    if template is None:
        return None
    outputs = view.registry.outputs
    # Its own ref whatever a field is called; of the row only what is shown.
    parts = {
        slot: ref
        if slot == "ref"
        else (row.values.get(slot) if slot in outputs else None)
        for slot in _slots(template)
    }
    if not all(_fills(value) for value in parts.values()):
        return None
    # Nothing stays safe: a slash or a question mark in a value would lead elsewhere on
    # the site.
    return _SLOT.sub(lambda slot: quote(str(parts[slot[1]]), safe=""), template)


@lru_cache(_KEPT)
def _slots(template: str) -> tuple[str, ...]:
    return tuple(_SLOT.findall(template))


def _fills(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


def _freshness(row: Row, view: View) -> dict[str, Any]:
    """Tell since when the facts hold; where that is too long ago, what to do."""
    since = moment(datetime, row.values.get(AS_OF))
    if since is None:
        return {}
    age = (view.now - _aware(datetime.fromisoformat(since), view)).total_seconds()
    if age <= view.registry.manifest.max_age:
        return {"as_of": since}
    advised = view.registry.manifest.hit.perishable
    advice = {"advice": say("advice.stale", view.language)} if advised else {}
    return {"as_of": since, "stale": True, **advice}


def _aware(moment: datetime, view: View) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=view.now.tzinfo)
