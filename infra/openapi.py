"""The HTTP routes as one OpenAPI file, drawn from the handlers.

``python -m infra.openapi`` writes ``infra/openapi.json``; a contract test compares the
file with the code. MCP describes itself and the schedule has no route.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from aws_lambda_powertools.event_handler.openapi.merge import OpenAPIMerge
from aws_lambda_powertools.event_handler.openapi.models import HTTPBearer

from vitrine.edge import VERSION
from vitrine.edge.http import PROBLEM_JSON
from vitrine.problems import Problem

# Powertools draws its own document for a fault of ours; what is sent is a problem.
_FAULT = {
    "description": f"`{Problem.code}`: {Problem.title}",
    "content": {
        PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}
    },
}
_UNSENT = ("ResponseValidationError", "ValidationError", "HTTPValidationError")
ROOT = Path(__file__).parents[1]
FILE = ROOT / "infra" / "openapi.json"


def document() -> dict[str, Any]:
    """Draw the document from the code."""
    merged = OpenAPIMerge(
        title="Vitrine",
        version=VERSION,
        description="Search for agents over a catalogue that stays closed.",
        security_schemes={"token": HTTPBearer(bearerFormat="JWT")},
        security=[{"token": []}],
        on_conflict="error",
    )
    merged.discover(
        path=ROOT / "functions",
        pattern="handler.py",
        resolver_name="app",
        recursive=True,
    )
    drawn: dict[str, Any] = json.loads(merged.get_openapi_json_schema())
    for item in drawn["paths"].values():
        for operation in item.values():
            operation["responses"][str(Problem.status)] = _FAULT
    for name in _UNSENT:
        drawn["components"]["schemas"].pop(name, None)
    return drawn


def text() -> str:
    """Give the document as it stands in the file."""
    plain = json.dumps(document(), indent=2, sort_keys=True, ensure_ascii=False)
    return plain + "\n"


if __name__ == "__main__":
    FILE.write_text(text())
    print(f"wrote {FILE.relative_to(ROOT)}")
