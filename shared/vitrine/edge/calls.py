"""The arguments of every tool but the searches, read as forgivingly as theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from vitrine.edge.arguments import (
    CONDITIONS,
    LIMIT,
    MOST,
    Search,
    conditions,
    known,
    language,
    limit,
    listed,
    string,
    wrong,
)
from vitrine.tree.parse import clean

DESCRIBE = ("source", "field", "language")
GET = ("refs", "fields", "request_id", "language")
EXPLAIN = ("source", "session", *CONDITIONS, "language")
ASK = ("source", "message", "session", "limit", "request_id", "language")
RECORD = ("source", "ref", "offset", "language")
LOG = ("text", "people", "request_id", "language")
UNDO = ("note_ref", "language")
PEOPLE = 5
MESSAGE = 2_000
"""Characters of a person's sentence, as over HTTP."""
NOTE = 4_000
"""Characters of a note."""
FARTHEST = 10_000_000
CODE = 64
"""Characters of a ref, SKU or GTIN; a longer one is none."""


@dataclass(frozen=True, slots=True)
class Describe:
    """A source, or one of its fields, to be described."""

    source: str
    field: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Get:
    """Documents that the caller can name, and the fields to compare."""

    keys: tuple[str, ...]
    fields: tuple[str, ...] = ()
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Explain:
    """A search that found nothing: a session, or words and filters."""

    source: str
    search: Search


@dataclass(frozen=True, slots=True)
class Sentence:
    """A person's sentence for a source."""

    source: str
    message: str
    session: str | None = None
    limit: int = LIMIT
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One document to be read in full, from ``offset`` on."""

    source: str
    ref: str
    offset: int = 0
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """A note to be kept, about people named by their refs."""

    text: str
    request: str
    people: tuple[str, ...] = ()
    language: str | None = None


def describe(arguments: Mapping[str, Any], sources: Iterable[str]) -> Describe:
    """Read the arguments of ``describe_source``."""
    given = known(arguments, DESCRIBE)
    return Describe(source(given, sources), string(given, "field"), language(given))


def get(arguments: Mapping[str, Any]) -> Get:
    """Read the arguments of ``get_<source>``."""
    given = known(arguments, GET)
    keys = tuple(dict.fromkeys(_codes(given.get("refs"), "/refs")))
    if not 1 <= len(keys) <= MOST:
        raise wrong("/refs", f"refs: 1 to {MOST} are looked up", "Send a list.")
    fields = tuple(_codes(given.get("fields"), "/fields"))
    return Get(keys, fields, language(given))


def explain(arguments: Mapping[str, Any], sources: Iterable[str]) -> Explain:
    """Read the arguments of ``explain_empty``: a session or a search, not both."""
    given = known(arguments, EXPLAIN)
    asked, session = conditions(given), string(given, "session")
    if (asked.tree is None) is (session is None):
        remedy = "Send the session of the empty search, or its words and filters."
        raise wrong("/session", "session: either it or a search is explained", remedy)
    told = replace(asked, session=session, language=language(given))
    return Explain(source(given, sources), told)


def sentence(arguments: Mapping[str, Any], sources: Iterable[str]) -> Sentence:
    """Read the arguments of ``ask``."""
    given = known(arguments, ASK)
    message = string(given, "message", longest=MESSAGE)
    if message is None:
        raise wrong(
            "/message", "message: a sentence is needed", "Pass on what was said."
        )
    session = string(given, "session")
    told = language(given)
    return Sentence(source(given, sources), message, session, limit(given), told)


def record(arguments: Mapping[str, Any], sources: Iterable[str]) -> Record:
    """Read the arguments of ``get_record``."""
    given = known(arguments, RECORD)
    ref = string(given, "ref") or ""
    return Record(source(given, sources), ref, _offset(given), language(given))


def note(arguments: Mapping[str, Any]) -> Note:
    """Read the arguments of ``log_note``."""
    given = known(arguments, LOG)
    text, request = given.get("text"), string(given, "request_id")
    if not isinstance(text, str) or not 1 <= len(text.strip()) <= NOTE:
        raise wrong("/text", f"text: 1 to {NOTE} characters are kept", "Shorten it.")
    if request is None:
        raise wrong("/request_id", "request_id: one is needed", "Send an id of yours.")
    for name, said in (("text", text), ("request_id", request)):
        # Neither is in PostgreSQL's alphabet: the customer's database would raise.
        if not clean(said):
            wanted = "Leave out NUL and lone surrogates."
            raise wrong(f"/{name}", f"{name}: an unusable character", wanted)
    people = tuple(dict.fromkeys(_codes(given.get("people"), "/people")))
    if len(people) > PEOPLE:
        raise wrong("/people", f"people: at most {PEOPLE}", "Name the main ones.")
    return Note(text.strip(), request, people, language(given))


def undo(arguments: Mapping[str, Any]) -> str:
    """Read the arguments of ``undo_note``."""
    return string(known(arguments, UNDO), "note_ref") or ""


def request_id(arguments: Mapping[str, Any]) -> str | None:
    """Read the caller's own id of a call, where it has one."""
    found = arguments.get("request_id")
    return None if found == "null" else string({"request_id": found}, "request_id")


def source(given: Mapping[str, Any], sources: Iterable[str]) -> str:
    """Read which source is meant; a lone one need not be named."""
    sources = tuple(sources)
    named = string(given, "source") or (sources[0] if len(sources) == 1 else None)
    if named not in sources:
        said = "a source is needed" if named is None else f"no such source: {named}"
        raise wrong("/source", f"source: {said}", f"Sources: {', '.join(sources)}.")
    return named


def _codes(value: Any, pointer: str) -> list[str]:
    """Read a list of short texts; a lone one may come without its list."""
    alone = isinstance(value, str) and value[:1] != "["
    found = [value] if alone else listed(value, pointer)
    if not all(isinstance(v, str | int) and 0 < len(str(v)) <= CODE for v in found):
        raise wrong(pointer, f"{pointer[1:]}: short texts are needed", 'Send ["…"].')
    return [str(v).strip() for v in found]


def _offset(given: Mapping[str, Any]) -> int:
    value = given.get("offset", 0)
    if isinstance(value, str) and value.isdecimal():
        value = int(value[:9])
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not 0 <= value <= FARTHEST:
        raise wrong("/offset", "offset: a whole number is needed", "Send next_offset.")
    return int(value)
