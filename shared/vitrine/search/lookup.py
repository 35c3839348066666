"""Documents that a caller can name: by ref, or by an identifier of the manifest.

Looking up what one knows is no crawl: it costs the day, yet no session, and nothing
at all where the caller's own orders or contracts hold the document. What is not found
has a budget of its own: a hidden document, a foreign one and none at all are the same
miss.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vitrine.disclosure.answer import Answer
from vitrine.disclosure.budgets import mark
from vitrine.disclosure.projection import View
from vitrine.disclosure.release import Release, release
from vitrine.language.folding import squash
from vitrine.problems import Missing
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Hits, Query, Row
from vitrine.search.paying import pay, watch
from vitrine.search.prepare import Ask, Parts, payer
from vitrine.search.report import Report
from vitrine.store.budgets import admit, charge_miss
from vitrine.store.planted import known_of
from vitrine.tree.conditions import TRUE, Member
from vitrine.tree.lower import some

ALIKE = 5
"""Documents that one identifier may name."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found, in the order that it was asked for, and what was not."""

    answer: Answer
    missing: tuple[str, ...] = ()


def look_up(ask: Ask, keys: Sequence[str], parts: Parts) -> Looked:
    """Find documents by name, charge them and the misses, and release them.

    Raises ``BudgetSpent`` where nothing may leave any more, or no miss be told.
    """
    account = payer(ask, parts)
    own = known_of(account.table, account.who) if account else frozenset()
    if account is not None and not own:
        # Who was refused today would learn which codes exist by being refused again.
        admit(account, now=ask.now)
    found = _found(ask, keys, parts)
    missing = tuple(key for key in keys if not found.get(key))
    rows = {row.id: row for key in keys for row in found.get(key, ())}
    hits = Hits(tuple(rows.values()), total=len(rows))
    grant = Release(View(ask.registry, ask.caller.language, parts.refs, ask.now))
    if account is not None:
        free = [document for document in rows if mark(document) in own]
        if own and (missing or len(free) < len(rows)):
            # Only what is wholly their own is free of the same rule.
            admit(account, now=ask.now)
        for _ in missing:
            charge_miss(account, now=ask.now)
        charged = pay(ask, parts, account, [d for d in rows if d not in free])
        watch(ask, parts, free)
        granted = (*charged.granted, *free)
        grant = replace(grant, granted=granted, left=charged.left)
    return Looked(release(hits, grant, Report("strict", None, None, "")), missing)


def read_whole(ask: Ask, ref: str, parts: Parts) -> Mapping[str, Any]:
    """Read one document of an uncapped profile with its long texts uncut.

    Raises ``Missing`` for an unknown, hidden or foreign ref, and for what is none.
    """
    if ask.registry.budget is not None:
        raise Missing(NO_RECORD)
    rows = _by_ref(ask, [ref], parts)
    if not rows:
        raise Missing(NO_RECORD)
    view = View(_uncut(ask.registry), ask.caller.language, parts.refs, ask.now)
    hits = Hits(tuple(rows[ref]), total=1)
    (record,) = release(hits, Release(view), Report("strict", None, None, "")).hits
    return record


NO_RECORD = "There is no such record for this caller."


def _uncut(registry: Registry) -> Registry:
    """See the registry as if no text were long."""
    manifest = registry.manifest
    hit = manifest.hit.model_copy(update={"preview": ()})
    return replace(registry, manifest=manifest.model_copy(update={"hit": hit}))


def _found(ask: Ask, keys: Sequence[str], parts: Parts) -> dict[str, tuple[Row, ...]]:
    """Find by ref first; what is none is looked for by its identifier."""
    found = _by_ref(ask, keys, parts)
    rest = [key for key in keys if key not in found and squash(key)]
    return found | (_by_code(ask, rest, parts) if rest else {})


def _by_ref(ask: Ask, keys: Sequence[str], parts: Parts) -> dict[str, tuple[Row, ...]]:
    registry = ask.registry
    meant = {
        key: stored
        for key in keys
        if (stored := parts.refs.id_of(registry.tenant, registry.source, key))
    }
    if not meant:
        return {}
    query = Query(ask.caller, registry, TRUE)
    rows = {row.id: row for row in parts.engine.fetch(query, list(meant.values()))}
    return {key: (rows[i],) for key, i in meant.items() if i in rows}


def _by_code(ask: Ask, keys: Sequence[str], parts: Parts) -> dict[str, tuple[Row, ...]]:
    fields = list(_identifiers(ask.registry))
    if not fields:
        return {}
    codes = tuple(dict.fromkeys(squash(key) for key in keys))
    either = some([Member(field, codes) for field in fields])
    # A code is no key: a catalogue may have it on a few documents, and none may crowd
    # out the others' places.
    limit = len(keys) * ALIKE
    query = Query(ask.caller, ask.registry, either, limit=limit)
    rows = parts.engine.search(query).rows
    named = ((key, tuple(_named(rows, fields, squash(key)))) for key in keys)
    return {key: alike for key, alike in named if alike}


def _identifiers(registry: Registry) -> Iterator[Field]:
    """Give the identifiers that the manifest opens and the profile may filter."""
    for key in registry.manifest.hit.identifiers:
        field = registry.filters.get(key)
        if field is not None and field.type is FieldType.IDENTIFIER:
            yield field


def _named(rows: Sequence[Row], fields: Sequence[Field], code: str) -> Iterator[Row]:
    for row in rows:
        values = (row.values.get(field.key) for field in fields)
        if code in {squash(v) for v in values if isinstance(v, str)}:
            yield row
