"""What an organisation has published, for its administrators to read.

Read alone: what opens a field is a publish, which sees the rows or writes the
collection that the field stands in (ADR 17). What is told is what callers of a profile
may use, since when and on whose word. Where records come from, planted documents and
pinned ids stay in the manifest's file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from vitrine.caller import Caller
from vitrine.disclosure.budgets import caps_of
from vitrine.edge.auditing import ADMIN
from vitrine.edge.replies import Reply
from vitrine.edge.wiring import Wiring
from vitrine.problems import Missing
from vitrine.registry.profiles import Registry
from vitrine.registry.widening import digest
from vitrine.store.registry import Head, heads, load_registry


class Lists(Reply):
    """The fields that a profile may use, by use."""

    filter: tuple[str, ...]
    facet: tuple[str, ...]
    sort: tuple[str, ...]
    search: tuple[str, ...]
    output: tuple[str, ...]


class OneProfile(Reply):
    """What stands published for a profile, in brief.

    ``version`` moves with the samples, too; ``hash`` names what the manifest says.
    """

    profile: str
    version: int
    hash: str
    documents: int
    since: datetime | None = None
    by: str | None = None


class WholeProfile(OneProfile):
    """The same with its lists; ``budget`` as the manifest says it, ``caps`` as they
    come to with so many documents. Without a budget the profile is uncapped.
    """

    lists: Lists
    budget: dict[str, Any] | None = None
    caps: dict[str, int] | None = None
    k: int


class OneSource(Reply):
    """A source with its profiles in brief."""

    source: str
    engine: str
    title: dict[str, str]
    fields: int
    profiles: tuple[OneProfile, ...]


class Sources(Reply):
    """Every source that the organisation has published."""

    sources: tuple[OneSource, ...]


class WholeSource(OneSource):
    """A source with its profiles as they are published."""

    profiles: tuple[WholeProfile, ...]


def listed(wiring: Wiring, caller: Caller) -> Sources:
    """List what is published, by source."""
    caller.require(ADMIN)
    found: dict[str, list[Head]] = {}
    for head in heads(wiring.table, caller.tenant):
        found.setdefault(head.source, []).append(head)
    told = (_brief(_read(wiring, caller, found[name])) for name in sorted(found))
    return Sources(sources=tuple(told))


def told(wiring: Wiring, caller: Caller, source: str) -> WholeSource:
    """Tell a source; raise ``Missing`` for one that was never published here."""
    caller.require(ADMIN)
    own = [h for h in heads(wiring.table, caller.tenant) if h.source == source]
    if not own:
        raise Missing("There is no such source.")
    pairs = _read(wiring, caller, own)
    return WholeSource(
        **_source(pairs[0][1]),
        profiles=tuple(_whole(head, registry) for head, registry in pairs),
    )


Pair = tuple[Head, Registry]


def _read(wiring: Wiring, caller: Caller, own: Iterable[Head]) -> list[Pair]:
    # Read anew: an environment believes for twenty seconds what it knows, and a
    # publisher looks here at once.
    return [
        (h, load_registry(wiring.table, caller.tenant, h.source, h.profile))
        for h in own
    ]


def _brief(pairs: list[Pair]) -> OneSource:
    profiles = tuple(OneProfile(**_profile(*pair)) for pair in pairs)
    return OneSource(**_source(pairs[0][1]), profiles=profiles)


def _source(registry: Registry) -> dict[str, Any]:
    manifest = registry.manifest
    return {
        "source": manifest.source,
        "engine": manifest.engine.value,
        "title": dict(manifest.title),
        "fields": len(manifest.fields),
    }


def _profile(head: Head, registry: Registry) -> dict[str, Any]:
    return {
        "profile": head.profile,
        # The registry's own: a tick may have come between the list and this.
        "version": registry.version,
        "hash": digest(registry.manifest),
        "documents": registry.documents,
        "since": head.at,
        "by": head.by,
    }


def _whole(head: Head, registry: Registry) -> WholeProfile:
    caps = caps_of(registry)
    budget = registry.budget
    return WholeProfile(
        **_profile(head, registry),
        lists=_lists(registry),
        budget=budget.model_dump(mode="json") if budget else None,
        caps=asdict(caps) if caps else None,
        k=registry.grant.k,
    )


def _lists(registry: Registry) -> Lists:
    # As they work out: a ``*`` of the manifest stands written out.
    return Lists(
        filter=tuple(registry.filters),
        facet=registry.facets,
        sort=registry.sorts,
        search=registry.searches,
        output=registry.outputs,
    )
