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
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from vitrine.disclosure.labels import label
from vitrine.disclosure.prices import price
from vitrine.language.sentences import say
from vitrine.registry.fields import Field
from vitrine.registry.manifest import Locale
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry
from vitrine.seal import Refs
from vitrine.search.engine import Row

PREVIEW = 280
"""Characters of a long text, cut at a word."""
ELLIPSIS = "…"
SIGN = "◆"
"""What marks a document that an AI wrote, on every surface."""
AS_OF = "as_of"
"""The row's own moment of truth, beside the manifest's fields."""
_PLAIN = Locale()
_KEPT = 512
Speech = tuple[tuple[str, str | None], ...]
_speeches: dict[tuple[int, str], tuple[Registry, Speech]] = {}
_SLOT = re.compile(r"\{([a-z0-9_.]+)\}")
_VARIANT = re.compile(r"(.+)_([a-z]{2})")
_MOMENTS: Mapping[FieldType, type[date | time]] = {
    FieldType.DATE: date,
    FieldType.DATETIME: datetime,
    FieldType.TIME: time,
}


class StrayValue(UserWarning):
    """A stored value that its field's type can't show; it was left out."""


@dataclass(frozen=True, slots=True)
class View:
    """For whom rows are shown: the profile, the language (BCP 47), the refs."""

    registry: Registry
    language: str
    refs: Refs
    now: datetime

    @property
    def tongue(self) -> str:
        """Give the language without its region."""
        return self.language.replace("_", "-").split("-")[0].lower()

    @property
    def locale(self) -> Locale:
        """Give what hits are like in the caller's language, else in the first one."""
        locales = self.registry.manifest.locales
        first = next(iter(locales.values()), _PLAIN)
        return locales.get(self.tongue, first)

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


def preview(text: str, limit: int = PREVIEW) -> str:
    """Cut a text at a word, with an ellipsis; white space becomes single spaces."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    at_word = head.rpartition(" ")[0] if text[limit - 1] != " " else head
    return (at_word or head).rstrip(" ,;:.-–—") + ELLIPSIS


def _facts(row: Row, view: View, *, stale: bool) -> Iterator[tuple[str, Any]]:
    """Yield what is shown; what perishes is not told once it is stale."""
    gone = view.registry.manifest.hit.perishable if stale else ()
    for key, variant in _speech(view):
        if key in gone:
            continue
        said = (row.values.get(variant) if variant else None) or row.values.get(key)
        shown = _shown(view.registry.fields[key], said, view)
        if shown is not None:
            yield key, shown


def _speech(view: View) -> Speech:
    """List what is shown, each with the field of its words in the view's language.

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
    made = tuple((key, _variant(key, view)) for key in shown)
    _speeches[place] = (registry, made)
    return made


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


def _shown(field: Field, value: Any, view: View) -> Any:
    if value is None or value in ("", [], ()):
        return None
    if field.multi and isinstance(value, list | tuple):
        each = [_one(field, v, view) for v in value]
        return [v for v in each if v is not None] or None
    shown = _one(field, value, view)
    if isinstance(shown, str) and field.key in _previewed(view.registry):
        return preview(shown)
    return shown


def _previewed(registry: Registry) -> tuple[str, ...]:
    return registry.manifest.hit.preview


def _one(field: Field, value: Any, view: View) -> Any:
    shown = _value(field, value, view)
    if shown is None:
        # The value itself is not told: warnings end in logs.
        kind = type(value).__name__
        message = f"{view.registry.source}.{field.key}: a {kind} can't be shown"
        warnings.warn(message, StrayValue, stacklevel=2)
    return shown


def _value(field: Field, value: Any, view: View) -> Any:
    if field.type is FieldType.BOOLEAN:
        return value if isinstance(value, bool) else None
    if field.type is FieldType.NUMBER:
        return _number(field, value, view)
    if field.type in _MOMENTS:
        return _moment(_MOMENTS[field.type], value)
    return label(field, value, view.tongue) if isinstance(value, str) else None


def _number(field: Field, value: Any, view: View) -> Any:
    # A bool is an int to Python, and no number of anything.
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    # By its text: the float of 19.9 has digits that nobody wrote.
    number = Decimal(str(value))
    if not number.is_finite():
        return None
    if field.currency:
        return price(number, field.currency, view.language)
    whole = number == number.to_integral_value()
    return int(number) if whole else float(number)


def _moment(kind: type[date | time], value: Any) -> str | None:
    if isinstance(value, date | time):
        return value.isoformat()
    try:
        return kind.fromisoformat(value).isoformat()
    except (TypeError, ValueError):
        return None


def _title(row: Row, facts: Mapping[str, Any], view: View) -> str:
    key = view.locale.title
    title = facts.get(view.registry.manifest.hit.title, "")
    if key and key in view.registry.outputs and row.values.get(key):
        title = _shown(view.registry.fields[key], row.values[key], view)
    return title if isinstance(title, str) else ""


def _url(row: Row, view: View, ref: str) -> str | None:
    template = view.locale.url or view.registry.manifest.hit.url
    if template is None:
        return None
    values = {key: row.values.get(key) for key in view.registry.outputs} | {"ref": ref}
    parts = {slot: values.get(slot) for slot in _SLOT.findall(template)}
    if not all(_fills(value) for value in parts.values()):
        return None
    # Nothing stays safe: a slash or a question mark in a value would lead elsewhere on
    # the site.
    return _SLOT.sub(lambda slot: quote(str(parts[slot[1]]), safe=""), template)


def _fills(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


def _freshness(row: Row, view: View) -> dict[str, Any]:
    """Tell since when the facts hold; where that is too long ago, what to do."""
    moment = _moment(datetime, row.values.get(AS_OF))
    if moment is None:
        return {}
    age = (view.now - _aware(datetime.fromisoformat(moment), view)).total_seconds()
    if age <= view.registry.manifest.max_age:
        return {"as_of": moment}
    advised = view.registry.manifest.hit.perishable
    advice = {"advice": say("advice.stale", view.language)} if advised else {}
    return {"as_of": moment, "stale": True, **advice}


def _aware(moment: datetime, view: View) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=view.now.tzinfo)
