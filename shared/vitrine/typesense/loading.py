"""Lines into a collection: the server answers each and raises nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import httpx
from typesense import Client
from typesense.exceptions import ObjectNotFound, TypesenseClientError

from vitrine.problems import Missing, Unavailable
from vitrine.typesense.client import collection

Action = Literal["create", "upsert"]
_THERE = 409


def load(
    client: Client, name: str, lines: Sequence[str], action: Action = "create"
) -> int:
    """Import JSON lines; raise ``Unavailable`` unless each is on the server then.

    ``create`` leaves a document alone that is there already, by a retry of this
    import whose first answer was lost, or by a newer change.
    Raises ``Missing`` where there is no such collection.
    """
    if not lines:
        return 0
    answers = _answers(client, name, "\n".join(lines), action)
    failed = [a for a in answers if not _arrived(a)]
    if failed or len(answers) != len(lines):
        first = failed[0].get("error") if failed else "lines are missing"
        raise Unavailable(f"The import failed: {first}.")
    return len(lines)


def _answers(
    client: Client, name: str, lines: str, action: Action
) -> list[Mapping[str, Any]]:
    target = collection(client, name).documents
    try:
        said = target.import_(lines, {"action": action})
    except ObjectNotFound as error:
        raise Missing(f"There is no collection {name}.") from error
    except (TypesenseClientError, httpx.HTTPError) as error:
        raise Unavailable("The search engine took no documents.") from error
    return [json.loads(line) for line in said.splitlines()]


def _arrived(answer: Mapping[str, Any]) -> bool:
    return bool(answer.get("success")) or answer.get("code") == _THERE
