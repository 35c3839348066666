"""What a running server adds to its searches, and what of it a manifest can say.

Synonyms, stopwords and pinned or hidden results are carried into the manifest, which
is published with each run, so that no swap loses them. All else is listed with the
reason why it is not carried.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import httpx

from infra.publishing.introspect import Draft, Note
from infra.publishing.readers import Server
from vitrine.problems import Unavailable
from vitrine.registry.manifest import Manifest, Pin, Synonym
from vitrine.typesense.version import Version

Told = Mapping[str, Any]
_ABSENT = 404
_LOST: Mapping[str, str] = {
    "filter_by": "a filter of its own",
    "sort_by": "an order of its own",
    "replace_query": "another query in place of the asked one",
    "effective_from_ts": "a time to begin",
    "effective_to_ts": "a time to end",
    "metadata": "data for the caller",
}
SEARCH = "curation"


@dataclass(slots=True)
class Carried:
    """What goes into a manifest, and what does not."""

    synonyms: list[Synonym] = field(default_factory=list)
    stopwords: list[str] = field(default_factory=list)
    pins: list[Pin] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


def carried(server: Server, version: Version, schema: Told) -> Carried:
    """Read what a collection's searches are helped by; raise ``Unavailable``."""
    found = Carried()
    name = str(schema["name"])
    if version.global_synonyms:
        sets = _linked(_read(server, "/synonym_sets"), schema.get("synonym_sets"))
        rules = _linked(_read(server, "/curation_sets"), schema.get("curation_sets"))
    else:
        sets = _list(_read(server, f"/collections/{name}/synonyms"), "synonyms")
        rules = _list(_read(server, f"/collections/{name}/overrides"), "overrides")
    take_synonyms(found, sets)
    take_rules(found, rules)
    if version.stopwords:
        take_stopwords(found, _list(_read(server, "/stopwords"), "stopwords"))
    return found


def with_carried(draft: Draft, found: Carried) -> Draft:
    """Put what is carried into a draft."""
    said = {
        "synonyms": tuple(found.synonyms),
        "stopwords": tuple(dict.fromkeys(found.stopwords)),
        "pins": tuple(found.pins),
    }
    return replace(
        draft,
        manifest=Manifest.model_validate(draft.manifest.model_dump() | said),
        notes=[*draft.notes, *found.notes],
    )


def lost(found: Carried, manifest: Manifest) -> list[Note]:
    """List what a server has and a manifest has not: a publishing leaves it behind."""
    told = [("synonym", s.words, s in manifest.synonyms) for s in found.synonyms]
    told += [("pin", (p.query,), p in manifest.pins) for p in found.pins]
    told += [("stopword", (w,), w in manifest.stopwords) for w in found.stopwords]
    return [
        *found.notes,
        *(
            Note(f"{kind} {', '.join(words)}", "the manifest does not have it")
            for kind, words, there in told
            if not there
        ),
    ]


def take_synonyms(found: Carried, items: Iterable[Told]) -> None:
    """Carry synonyms, one-way and both ways."""
    for item in items:
        where = f"synonym {item.get('id', '')}"
        words, root = tuple(item.get("synonyms", ())), item.get("root") or None
        if len(words) + (root is not None) < 2:
            found.notes.append(Note(where, "a single word has no synonym"))
            continue
        found.synonyms.append(Synonym(words=words, root=root))
        if item.get("locale") or item.get("symbols_to_index"):
            why = "its locale and symbols are not carried: words are cut as texts are"
            found.notes.append(Note(where, why))


def take_stopwords(found: Carried, sets: Iterable[Told]) -> None:
    """Carry every set: here, a search drops them all."""
    for one in sets:
        found.stopwords.extend(map(str, one.get("stopwords", ())))
        why = "carried, and dropped from every search, whether it names the set or not"
        found.notes.append(Note(f"stopwords {one.get('id', '')}", why))


def take_rules(found: Carried, rules: Iterable[Told]) -> None:
    """Carry what a rule puts first or hides for a question; list all else it does."""
    for rule in rules:
        where = f"{SEARCH} {rule.get('id', '')}"
        reasons = [f"{why} is not carried" for k, why in _LOST.items() if rule.get(k)]
        found.notes.extend(Note(where, why) for why in reasons)
        asked = rule.get("rule", {})
        query = str(asked.get("query") or "")
        if not query or query == "*" or asked.get("filter_by") or asked.get("tags"):
            why = "a rule without a question, or of filters and tags, is not carried"
            found.notes.append(Note(where, why))
            continue
        pin = _pin(query, str(asked.get("match")), rule)
        if pin.first:
            why = "carried as an order: it brings in nothing that is not found"
            found.notes.append(Note(where, why))
        if pin.first or pin.never:
            found.pins.append(pin)


def _pin(query: str, match: str, rule: Told) -> Pin:
    includes = sorted(rule.get("includes", ()), key=lambda one: int(one["position"]))
    return Pin(
        query=query,
        whole=match != "contains",
        first=tuple(str(one["id"]) for one in includes),
        never=tuple(str(one["id"]) for one in rule.get("excludes", ())),
    )


def _linked(sets: Any, linked: Any) -> list[Told]:
    """List the items of the sets that a collection is linked to."""
    named = set(linked or ())
    mine = (one for one in sets or () if one["name"] in named)
    return [item for one in mine for item in one.get("items", ())]


def _list(answer: Any, key: str) -> list[Told]:
    return list((answer or {}).get(key, ()))


def _read(server: Server, path: str) -> Any:
    """Read a resource; one that this server does not have is None."""
    try:
        answer = httpx.get(
            f"{server.url}{path}", headers={"X-TYPESENSE-API-KEY": server.key}
        )
        if answer.status_code == _ABSENT:
            return None
        answer.raise_for_status()
    except httpx.HTTPError as error:
        raise Unavailable(f"The server does not tell its {path}.") from error
    return answer.json()
