"""The tools of a caller: derived from the sources that their scopes cover.

Hosts keep the list that was approved, so it depends on the token alone and its order
is fixed: what reads comes before what writes, per source before over all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vitrine.edge import schemas
from vitrine.edge.arguments import MOST
from vitrine.edge.schemas import Schema
from vitrine.registry.profiles import Registry

SEARCH = "search_"
GET = "get_"
DESCRIBE = "describe_source"
EXPLAIN = "explain_empty"
ASK = "ask"
RECORD = "get_record"
LOG = "log_note"
UNDO = "undo_note"
NOTES = "events"
"""The source that notes belong to."""
WRITE = "notes:write"
"""The scope without which no tool that writes is listed."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as it is listed; ``source`` is None where an argument names it."""

    name: str
    title: str
    description: str
    takes: Schema
    gives: Schema
    source: str | None = None
    writes: bool = False


def tools(registries: Sequence[Registry], *, writes: bool = False) -> tuple[Tool, ...]:
    """List the tools over these sources; those that write where a scope allows."""
    ordered = sorted(registries, key=lambda r: r.source)
    if not ordered:
        return ()
    names = [r.source for r in ordered]
    whole = [r.source for r in ordered if r.budget is None]
    records = (_record(whole),) if whole else ()
    notes = (_log(), _undo()) if writes and NOTES in whole else ()
    return (
        *(_search(r) for r in ordered),
        *(_get(r) for r in ordered),
        _describe(names),
        _explain(names),
        _ask(names),
        *records,
        *notes,
    )


def withheld(registries: Sequence[Registry]) -> dict[str, str]:
    """Name the tools that a wider token would list, each with its scope."""
    listed = {tool.name for tool in tools(registries)}
    all_of_them = {tool.name for tool in tools(registries, writes=True)}
    return dict.fromkeys(sorted(all_of_them - listed), WRITE)


def _search(registry: Registry) -> Tool:
    texts = registry.manifest.tool
    return Tool(
        name=SEARCH + registry.source,
        title=texts.title,
        description=(
            f"{texts.use} Returns up to {MOST} results with refs, facets, the total "
            f"and what was really searched. Not for: {texts.not_for} "
            f"Example: {texts.example}"
        ),
        takes=schemas.search(registry),
        gives=schemas.ANSWER,
        source=registry.source,
    )


def _get(registry: Registry) -> Tool:
    source, codes = registry.source, " or ".join(("ref", *_codes(registry)))
    return Tool(
        name=GET + source,
        title=f"Look up and compare: {source}",
        description=(
            f"Use this when you have up to {MOST} refs of {source} and want their "
            f"facts side by side; {codes} will do. Returns one aligned table, and "
            "names what was not found. Not for: finding things by words or filters. "
            f'Example: {{"refs": ["…", "…"], "fields": ["{_shown(registry)}"]}}'
        ),
        takes=schemas.taking(
            {
                "refs": schemas.many(f"1 to {MOST} of: {codes}.", {"type": "string"}),
                "fields": schemas.many("Only these fields.", {"type": "string"}),
                "request_id": schemas.RETRY,
                "language": schemas.LANGUAGE,
            },
            "refs",
        ),
        gives=schemas.COMPARED,
        source=source,
    )


def _codes(registry: Registry) -> Iterator[str]:
    """Name the fields by which a caller may look up what they know."""
    for key in registry.manifest.hit.identifiers:
        if key in registry.filters:
            yield registry.filters[key].named("en")


def _shown(registry: Registry) -> str:
    title = registry.manifest.hit.title
    return next((key for key in registry.outputs if key != title), title)


def _describe(names: Sequence[str]) -> Tool:
    return Tool(
        name=DESCRIBE,
        title="Describe a source",
        description=(
            "Use this before filtering, to learn a source's fields, their operators "
            "and known values. Returns fields; with field, that field in detail. "
            f'Not for: searching. Example: {{"source": "{names[0]}"}}'
        ),
        takes=schemas.taking(
            {
                "source": schemas.source(names),
                "field": schemas.words("One field, in detail."),
                "language": schemas.LANGUAGE,
            },
            "source",
        ),
        gives=schemas.DESCRIBED,
    )


def _explain(names: Sequence[str]) -> Tool:
    return Tool(
        name=EXPLAIN,
        title="Explain an empty result",
        description=(
            "Use this when a search found nothing, with its session or the same words "
            "and filters. Returns each filter, which of them block, and searches that "
            "would find something. Not for: searches that found something. "
            f'Example: {{"source": "{names[0]}", "session": "…"}}'
        ),
        takes=schemas.taking(
            {
                "source": schemas.source(names),
                "session": schemas.SESSION,
                **schemas.any_conditions(),
                "language": schemas.LANGUAGE,
            },
            "source",
        ),
        gives=schemas.EXPLAINED,
    )


def _ask(names: Sequence[str]) -> Tool:
    return Tool(
        name=ASK,
        title="Ask in a sentence",
        description=(
            "Use this to pass on a person's own sentence, in their language, instead "
            "of filters; with a session it changes the search there. Returns what the "
            "search gives, what changed, or a question back. Not for: several "
            "questions at once, or questions about anything but the sources. "
            f'Example: {{"source": "{names[0]}", "message": "rather under 500 euros"}}'
        ),
        takes=schemas.taking(
            {
                "source": schemas.source(names),
                "message": schemas.words("The sentence, as it was said."),
                "session": schemas.SESSION,
                "limit": schemas.SHOWN,
                "request_id": schemas.RETRY,
                "language": schemas.LANGUAGE,
            },
            "source",
            "message",
        ),
        gives=schemas.ANSWER,
    )


def _record(names: Sequence[str]) -> Tool:
    return Tool(
        name=RECORD,
        title="Read one record",
        description=(
            "Use this to read one result in full, its long texts included. Returns "
            "the record, in parts where it is long. Not for: several records, or "
            f'searching. Example: {{"source": "{names[0]}", "ref": "…"}}'
        ),
        takes=schemas.taking(
            {
                "source": schemas.source(names),
                "ref": schemas.words("The ref of an earlier result."),
                "offset": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "next_offset of an earlier part.",
                },
                "language": schemas.LANGUAGE,
            },
            "source",
            "ref",
        ),
        gives=schemas.RECORD,
    )


def _log() -> Tool:
    return Tool(
        name=LOG,
        title="Write a note",
        description=(
            "Use this when the person asks to keep a note about something said or "
            "done with contacts. Returns the note's ref, marked as written by an AI, "
            "and how to undo it. Not for: changing contacts or other people's notes. "
            'Example: {"text": "Marie wants samples by Friday.", "people": ["…"], '
            '"request_id": "n-1"}'
        ),
        takes=schemas.taking(
            {
                "text": schemas.words("The note, up to 4000 characters."),
                "people": schemas.many(
                    "Refs of up to 5 contacts of search_persons.", {"type": "string"}
                ),
                "request_id": schemas.words("Your own id: a retry writes no second."),
                "language": schemas.LANGUAGE,
            },
            "text",
            "request_id",
        ),
        gives=schemas.NOTED,
        writes=True,
    )


def _undo() -> Tool:
    return Tool(
        name=UNDO,
        title="Undo a note",
        description=(
            "Use this to take back a note that log_note wrote for the same person. "
            "Returns what was undone; the undoing is recorded. Not for: notes that "
            'people or other clients wrote. Example: {"note_ref": "…"}'
        ),
        takes=schemas.taking(
            {
                "note_ref": schemas.words("The ref that log_note gave."),
                "language": schemas.LANGUAGE,
            },
            "note_ref",
        ),
        gives=schemas.NOTED,
        writes=True,
    )
