"""Single changes: records to every profile's collection at once, or out of it.

A run that is filling new collections at this moment gets them too: they are written
to the alias, and to each collection of it that is newer than the one it points to.
A deletion leaves a mark there, so that the run does not bring back what is gone.

The key needs ``documents:import``, ``documents:delete``, ``collections:list`` and
``aliases:get`` on the public collections, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import httpx
from typesense import Client
from typesense.exceptions import TypesenseClientError

from vitrine.problems import Fault, Invalid, Missing, Unavailable
from vitrine.typesense import request
from vitrine.typesense.client import collection
from vitrine.typesense.encode import Press
from vitrine.typesense.loading import load
from vitrine.typesense.publish import current, runs_of
from vitrine.typesense.records import Record, identity

PART = 100
"""Most ids of one deletion."""


@dataclass(frozen=True, slots=True)
class Writer:
    """What may write into the public collections: a client, and the key of the ids."""

    client: Client
    key: bytes


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done, and the records that do not fit, by private id."""

    upserted: int = 0
    deleted: int = 0
    refused: Mapping[str, tuple[Fault, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """An alias that searches go to, and the newer collections that are being filled."""

    alias: str
    filling: tuple[str, ...]


def apply(
    client: Client,
    press: Press,
    records: Iterable[Record],
    deleted: Iterable[str] = (),
    *,
    publishable: Callable[[Record], bool],
) -> Applied:
    """Write records as they are now, and take out what is gone or may not be shown.

    A record is whole: what it does not have is no longer there. Searches find it when
    this returns. Raises ``Missing`` for a source that was never published.
    """
    kept, refused, gone = _sorted(press, records, publishable)
    out = dict.fromkeys([*gone, *deleted])
    # Looked up once for the whole call, before anything is written: a source that was
    # never published is refused with nothing done.
    for number, place in enumerate(_places(client, press)):
        _put(client, place, [lines[number] for lines in kept])
        _take(client, place, [press.id_of(one) for one in out])
        _mark(client, place, [press.gone(one)[number] for one in out])
    return Applied(len(kept), len(out), refused)


def _sorted(
    press: Press, records: Iterable[Record], publishable: Callable[[Record], bool]
) -> tuple[list[tuple[str, ...]], dict[str, tuple[Fault, ...]], list[str]]:
    """Part what is shown from what does not fit and from what may not be shown."""
    manifest = press.registries[0].manifest
    kept: list[tuple[str, ...]] = []
    refused: dict[str, tuple[Fault, ...]] = {}
    gone: list[str] = []
    for record in records:
        private = identity(manifest, record)
        if not publishable(record):
            gone.append(private)
            continue
        try:
            kept.append(press.lines(record))
        except Invalid as problem:
            refused[private] = problem.faults
    return kept, refused, gone


def _places(client: Client, press: Press) -> list[Place]:
    try:
        return [_place(client, request.collection(r)) for r in press.registries]
    except (TypesenseClientError, httpx.HTTPError) as error:
        raise Unavailable("The search engine does not answer.") from error


def _place(client: Client, alias: str) -> Place:
    live = current(client, alias)
    if live is None:
        raise Missing("This source was never published.")
    return Place(alias, tuple(n for n in runs_of(client, alias) if n > live))


def _put(client: Client, place: Place, lines: Sequence[str]) -> None:
    # By the alias and not by what it pointed to: where a run swaps in between, the
    # write goes to the collection that took over.
    load(client, place.alias, lines, "upsert")
    for name in place.filling:
        with suppress(Missing):  # given up or swept since we looked
            load(client, name, lines, "upsert")


def _take(client: Client, place: Place, ids: Sequence[str]) -> None:
    live = collection(client, place.alias).documents
    parts = (ids[at : at + PART] for at in range(0, len(ids), PART))
    try:
        for part in parts:
            live.delete({"filter_by": f"id:[{','.join(part)}]"})
    except (TypesenseClientError, httpx.HTTPError) as error:
        raise Unavailable("The search engine deleted nothing.") from error


def _mark(client: Client, place: Place, marks: Sequence[Mapping[str, object]]) -> None:
    lines = [json.dumps(mark) for mark in marks]
    for name in place.filling:
        with suppress(Missing):
            load(client, name, lines, "upsert")
