"""What tools take and give, as JSON Schema that every client digests.

Schemas hold no ``$ref``, recursion, null alternative or boolean
``additionalProperties``: some clients drop every tool over one of them. They name
fields and operators, and never a value of a catalogue.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vitrine.edge.arguments import INTENTS, LIMIT, MOST
from vitrine.registry.operators import FULL_TEXT_FIELD
from vitrine.registry.profiles import Registry

ENUMERATED = 24
"""More fields than this are described by ``describe_source`` instead of listed."""
Schema = dict[str, Any]


def words(description: str, choices: Sequence[str] = ()) -> Schema:
    """Describe a text, perhaps of a closed list."""
    named = {"enum": list(choices)} if choices else {}
    return {"type": "string", "description": description, **named}


def many(description: str, items: Schema) -> Schema:
    """Describe a list."""
    return {"type": "array", "description": description, "items": items}


def whole(description: str, most: int, usual: int) -> Schema:
    """Describe a whole number from zero on."""
    return {
        "type": "integer",
        "minimum": 0,
        "maximum": most,
        "default": usual,
        "description": description,
    }


def flag(description: str) -> Schema:
    """Describe a truth."""
    return {"type": "boolean", "description": description}


def taking(members: Schema, *required: str) -> Schema:
    """Describe a tool's arguments."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": members, **needed}


def giving(members: Schema) -> Schema:
    """Describe a tool's result: a note always, all else where there is something."""
    said = {"note": TEXT, **members, "provenance": TEXT}
    return {"type": "object", "properties": said, "required": ["note"]}


TEXT: Schema = {"type": "string"}
ANY: Schema = {"type": "object"}
LISTED: Schema = {"type": "array", "items": ANY}
TEXTS: Schema = {"type": "array", "items": TEXT}
LANGUAGE = words("Language of the answer, such as en or fr.")
RETRY = words("Your own id of this call: a retry within a minute gives its answer.")
SESSION = words("The session of an earlier answer.")
SHOWN = whole("Results to show; 0 shows facets only.", MOST, LIMIT)


def source(choices: Sequence[str]) -> Schema:
    """Describe the argument that names a source."""
    return words("Which source.", choices)


def conditions(registry: Registry) -> Schema:
    """Describe a search's words and filters, over one source's fields."""
    fields = [key for key in registry.filters if key != FULL_TEXT_FIELD]
    operators = sorted({op for f in fields for op in registry.operators(f)})
    listed = fields if len(fields) <= ENUMERATED else ()
    return _conditions(_filter(listed, operators))


def any_conditions() -> Schema:
    """Describe a search's words and filters where an argument names the source."""
    return _conditions(_filter((), ()))


def _conditions(one: Schema) -> Schema:
    clause = taking({"any": many("At least one must hold.", one)}, "any")
    return {
        "query": words('Words to find; "quotes" keep a phrase, -word excludes.'),
        "filters": many("Every one must hold.", one),
        "all": many("For alternatives across fields: every clause holds.", clause),
    }


def _filter(fields: Sequence[str], operators: Sequence[str]) -> Schema:
    return taking(
        {
            "field": words("A field of describe_source.", fields),
            "operator": words("What to compare.", operators),
            "value": words('Text, number, date or true/false, as text: "50".'),
            "values": many(
                "Instead of value: alternatives, or two bounds for between.", TEXT
            ),
            "not": flag("True excludes what matches."),
        },
        "field",
        "operator",
    )


def search(registry: Registry) -> Schema:
    """Describe the arguments of a source's search."""
    return taking(
        {
            **conditions(registry),
            "intent": words(
                "What to do with the session: search anew, refine (the default), "
                "expand, remove or reset.",
                INTENTS,
            ),
            "session": words("The session of an earlier answer, to go on with it."),
            "cursor": words("next_cursor of an earlier answer, for the next page."),
            **_sorts(registry),
            "limit": SHOWN,
            "dry_run": flag("True checks and says the search without running it."),
            "request_id": RETRY,
            "language": LANGUAGE,
        }
    )


def _sorts(registry: Registry) -> Schema:
    """Describe the orders to choose from, where there are any."""
    ways = [way for key in registry.sorts for way in (key, f"-{key}")]
    said = "Order in place of relevance: a field, with - in front from high to low."
    return {"sort": words(said, ways)} if ways else {}


ANSWER = giving(
    {
        "hits": LISTED,
        "facets": ANY,
        "total": ANY,
        "sentence": TEXT,
        "report": ANY,
        "changes": TEXT,
        "unmet": TEXT,
        "suggestions": LISTED,
        "clarify": ANY,
        "budget": ANY,
        "session": TEXT,
        "next_cursor": TEXT,
    }
)
COMPARED = giving({"hits": LISTED, "missing": TEXTS, "budget": ANY})
RECORD = giving({"record": ANY, "text": TEXT, "next_offset": {"type": "integer"}})
EXPLAINED = giving(
    {"filters": LISTED, "suggestions": LISTED, "session": TEXT, "mode": TEXT}
)
DESCRIBED = giving({"source": TEXT, "fields": LISTED, "operators": ANY})
NOTED = giving({"note_ref": TEXT, "mark": TEXT, "undo": ANY})
